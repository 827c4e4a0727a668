// SPDX-License-Identifier: MIT
// HTTP/2 on loopback for the tests: over TLS by ALPN, twice, and in the clear (h2c). Each answer says the
// version, the path and the host that was asked for.
//
//     node h2.js FOLDER CERTIFICATE KEY
//
// When all listen, FOLDER/ports.h2 appears: lines "NAME PORT". Ends when its standard input does.
'use strict';
const fs = require('fs');
const http2 = require('http2');
const [folder, certificate, key] = process.argv.slice(2);

function answer(request, response) {
	const host = request.headers[':authority'] || request.headers.host;

	response.end(`HTTP/${request.httpVersion} ${request.url} host=${host}\n`);
}

function secure() {
	return http2.createSecureServer({ cert: fs.readFileSync(certificate),
		key: fs.readFileSync(key), allowHTTP1: true }, answer);
}

const servers = { h2: secure(), other_h2: secure(), h2c: http2.createServer(answer) };
let waiting = Object.keys(servers).length;

function listening() {
	if (--waiting > 0)
		return;
	const lines = Object.keys(servers).map(name => `${name} ${servers[name].address().port}\n`);

	fs.writeFileSync(folder + '/ports.new', lines.join(''));
	fs.renameSync(folder + '/ports.new', folder + '/ports.h2');
}

for (const name in servers)
	servers[name].listen(0, '127.0.0.1', listening);
process.stdin.on('end', () => process.exit(0)).resume();
