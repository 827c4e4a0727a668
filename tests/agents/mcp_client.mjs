// SPDX-License-Identifier: MIT
// The official client against `cordon mcp`: mcp_client.mjs CORDON OPTION...; mcp.bats sets the folder SDK.
import assert from 'node:assert';
import { Client } from 'SDK/client/index.js';
import { StdioClientTransport } from 'SDK/client/stdio.js';

const [cordon, ...options] = process.argv.slice(2);
const client = new Client({ name: 'test', version: '1' });
await client.connect(new StdioClientTransport({ command: cordon, args: ['mcp', ...options], env: process.env }));
const call = (name, args) => client.callTool({ name, arguments: args });
const text = (result) => result.content[0].text;

assert.equal(client.getServerVersion().name, 'cordon');
assert.deepEqual((await client.listTools()).tools.map((tool) => tool.name), ['run', 'why', 'plan', 'log']);

const good = await call('run', { command: 'echo out; echo err >&2' });
assert.equal(text(good), 'out\nerr\n');
assert.equal(good.isError, false);
assert.equal(good.structuredContent.status, 0);

const refused = await call('run', { command: 'touch ~/outside' });
assert.equal(refused.isError, true);
assert.match(text(refused), /The sandbox refused: create .*outside is not granted/);
assert.equal(refused.structuredContent.refusals.refused, 1);

assert.match(text(await call('why', {})), /outside/);
assert.match(text(await call('why', { right: 'write', subject: '/etc/passwd' })), /^denied: /);
assert.match(text(await call('why', { right: 'read', subject: '/etc/passwd' })), /^allowed: /);
assert.match(text(await call('plan', {})), /profiles  system agent python/);
assert.match(text(await call('log', { refused: true })), /outside/);
await assert.rejects(call('nonsense', {}), /there is no such tool/);
await client.ping();
await client.close();
console.log('all is well');
