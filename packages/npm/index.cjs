// SPDX-License-Identifier: MIT
// Starts the static program of this package with a command, and yields the events of its session.
// The command itself is never started here: without the program there is an error by name.
"use strict";

const { spawn } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");

const STATUS_FD = 3;
const ARCHITECTURES = { x64: "x86_64", arm64: "aarch64" };

class CordonError extends Error {
	constructor(message, status = null) {
		super(message);
		this.name = this.constructor.name;
		this.status = status;
	}
}
// There is no program for this system or processor.
class CordonUnsupported extends CordonError {}
// cordon did not start the command.
class CordonNotStarted extends CordonError {}
// cordon was killed; its guard ends the command.
class CordonLost extends CordonError {}

function programPath() {
	const architecture = ARCHITECTURES[process.arch];
	const file = path.join(__dirname, "bin", `Linux-${architecture}`, "cordon");

	if (process.platform !== "linux" || architecture === undefined || !fs.existsSync(file))
		throw new CordonUnsupported(`cordon has no program for ${process.platform} ${process.arch}`);
	return file;
}

function checkWords(name, words) {
	if (!Array.isArray(words) || words.some((word) => typeof word !== "string" || word.includes("\0")))
		throw new TypeError(`${name} must be an array of strings`);
}

// The lines of a stream as objects, kept so that every reader sees all of them.
class Events {
	constructor() {
		this.list = [];
		this.over = false;
		this.error = null;
		this.rest = "";
		this.waiting = [];
	}

	wake() {
		for (const resume of this.waiting.splice(0)) resume();
	}

	feed(text) {
		const lines = (this.rest + text).split("\n");

		this.rest = lines.pop();
		for (const line of lines) this.list.push(JSON.parse(line));
		this.wake();
	}

	finish(error) {
		this.over = true;
		this.error = error;
		this.wake();
	}

	async *[Symbol.asyncIterator]() {
		for (let at = 0; ; ) {
			while (at < this.list.length) yield this.list[at++];
			if (this.error !== null) throw this.error;
			if (this.over) return;
			await new Promise((resume) => this.waiting.push(resume));
		}
	}
}

// How a session ended; throws if the command was not started, or if nothing says how it ended.
function judgeEnd(list, code, signal) {
	const last = list[list.length - 1];

	if (last === undefined && signal === null)
		throw new CordonNotStarted(
			`cordon ended with status ${code} and started nothing; its message is on standard error`, code);
	if (last === undefined || last.event !== "end")
		throw new CordonLost(`cordon was ended by ${signal ?? `status ${code}`}; its guard ends the command`, code);
	if (last.cause === "not started") throw new CordonNotStarted(last.error, code);
	return {
		status: code,
		cause: last.cause,
		signal: last.signal ?? null,
		refused: list.filter((event) => event.event === "refused"),
		changed: list.filter((event) => event.event === "changed" || event.event === "planted"),
		events: list,
	};
}

function readEvents(stream, events, child) {
	return new Promise((resolve, reject) => {
		let bad = null;

		stream.setEncoding("utf8");
		stream.on("data", (text) => {
			try {
				if (bad === null) events.feed(text);
			} catch (error) {
				bad = new CordonLost(`cordon wrote a line that is no event: ${error.message}`);
				child.kill("SIGKILL");
			}
		});
		stream.on("error", reject);
		stream.on("end", () => (bad === null ? resolve() : reject(bad)));
	});
}

async function follow(child, events) {
	const exit = new Promise((resolve, reject) => {
		child.on("error", (error) => reject(new CordonNotStarted(`cordon cannot be started: ${error.message}`)));
		child.on("exit", (code, signal) => resolve([code, signal]));
	});

	try {
		// without free descriptors there are no streams, and exit is rejected
		const lines = child.stdio === undefined ? exit : readEvents(child.stdio[STATUS_FD], events, child);
		const [[code, signal]] = await Promise.all([exit, lines]);
		const ended = judgeEnd(events.list, code, signal);

		events.finish(null);
		return ended;
	} catch (error) {
		events.finish(error);
		throw error;
	}
}

function start(argv, options = {}) {
	const { args = [], stdio = "inherit", cwd, env, program = programPath() } = options;
	const three = Array.isArray(stdio) ? stdio : [stdio, stdio, stdio];

	checkWords("argv", argv);
	checkWords("options.args", args);
	if (argv.length === 0) throw new TypeError("argv is empty");
	if (args.includes("--")) throw new TypeError('options.args must not contain "--"');
	if (three.length !== STATUS_FD) throw new TypeError("options.stdio must have three entries");
	const child = spawn(program, ["run", "-q", "--status-fd", String(STATUS_FD), ...args, "--", ...argv], {
		cwd,
		env,
		stdio: [...three, "pipe"],
	});
	const events = new Events();
	const ended = follow(child, events);

	// who reads only the events gets the error from them
	ended.catch(() => {});
	return {
		pid: child.pid,
		events,
		ended,
		stdin: child.stdin,
		stdout: child.stdout,
		stderr: child.stderr,
		kill: (signal = "SIGTERM") => child.kill(signal),
	};
}

async function run(argv, options = {}) {
	if ([options.stdio].flat().includes("pipe")) throw new TypeError("run() reads no pipe; use start()");
	return start(argv, options).ended;
}

module.exports = { run, start, programPath, CordonError, CordonUnsupported, CordonNotStarted, CordonLost };
