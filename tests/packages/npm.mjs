// SPDX-License-Identifier: MIT
// The cases of npm.bats; runs the one that is named. What must be refused succeeds without cordon.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import * as cordon from "cordon-sandbox";

const require = createRequire(import.meta.url);
const outside = path.join(process.env.HOME, "outside");
const made = path.resolve("made");
const touch = ["touch", made];

// Nothing of the command has run.
async function fails(kind, promise, status) {
	const error = await promise.then(() => null, (reason) => reason);

	assert.ok(error instanceof kind, `expected ${kind.name}, not ${error}`);
	assert.equal(error.name, kind.name);
	if (status !== undefined) assert.equal(error.status, status);
	assert.ok(!fs.existsSync(made), "the command ran");
	return error;
}

async function until(check) {
	for (let tries = 0; !check(); tries++) {
		assert.ok(tries < 400, `never: ${check}`);
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
}

function isAlive(pid) {
	try {
		return !/\) Z /.test(fs.readFileSync(`/proc/${pid}/stat`, "latin1"));
	} catch {
		return false;
	}
}

const cases = {
	async refuses() {
		assert.equal(spawnSync("touch", [outside]).status, 0);
		fs.rmSync(outside);
		const ended = await cordon.run(["touch", outside], { stdio: "ignore" });
		assert.equal(ended.status, 1);
		assert.deepEqual(ended.refused.map((event) => [event.what, event.subject]), [["create", outside]]);
		assert.ok(!fs.existsSync(outside));
		fs.writeFileSync(outside, "");
		assert.equal((await cordon.run(["sh", "-c", `echo >${outside}`], { args: ["--write", outside] })).status, 0);
		assert.equal(fs.statSync(outside).size, 1);
	},
	async ends() {
		const exit = await cordon.run(["sh", "-c", "exit 3"]);
		assert.deepEqual([exit.status, exit.cause, exit.signal], [3, "exit", null]);
		const killed = await cordon.run(["sh", "-c", "kill -KILL $$"]);
		assert.deepEqual([killed.status, killed.cause, killed.signal], [137, "signal", 9]);
		const late = await cordon.run(["sleep", "60"], { args: ["--time", "1s"] });
		assert.deepEqual([late.status, late.cause], [124, "time"]);
		assert.deepEqual(exit.events.map((event) => event.event), ["start", "end"]);
	},
	async streams() {
		const session = cordon.start(["sh", "-c", `touch ${outside}; read line; exit 5`],
			{ stdio: ["pipe", "ignore", "ignore"] });
		const seen = [], again = [];
		for await (const event of session.events) {
			seen.push(event.event);
			if (event.event === "refused") session.stdin.end("go on\n");
		}
		for await (const event of session.events) again.push(event.event);
		assert.deepEqual(seen, ["start", "refused", "end"]);
		assert.deepEqual(again, seen);
		assert.equal((await session.ended).status, 5);
	},
	async not_started() {
		const args = ["--read", path.join(process.env.HOME, "missing")];
		const error = await fails(cordon.CordonNotStarted, cordon.run(touch, { args, stdio: "ignore" }), 125);
		assert.match(error.message, /cannot grant/);
		// who reads only the events is told, too
		const session = cordon.start(touch, { args, stdio: "ignore" });
		await fails(cordon.CordonNotStarted, (async () => { for await (const _ of session.events); })(), 125);
		await fails(cordon.CordonNotStarted, cordon.run(touch, { cwd: "/missing" }));
	},
	async misused() {
		await fails(cordon.CordonNotStarted, cordon.run(touch, { args: ["--nope"], stdio: "ignore" }), 125);
		await fails(cordon.CordonNotStarted, cordon.run(touch, { args: ["--read"], stdio: "ignore" }), 125);
	},
	async not_found() {
		await fails(cordon.CordonNotStarted, cordon.run(["no-such-command"], { stdio: "ignore" }), 127);
		fs.writeFileSync("plain", "echo\n");
		await fails(cordon.CordonNotStarted, cordon.run(["./plain"], { stdio: "ignore" }), 126);
	},
	async other_program() {
		const plain = path.resolve("plain"), talks = path.resolve("talks");
		fs.writeFileSync(plain, "");
		fs.writeFileSync(talks, "#!/bin/sh\necho nonsense >&3\nexec sleep 60\n", { mode: 0o755 });
		await fails(cordon.CordonNotStarted, cordon.run(touch, { program: "/missing" }));
		await fails(cordon.CordonNotStarted, cordon.run(touch, { program: plain }));
		await fails(cordon.CordonNotStarted, cordon.run(touch, { program: "/bin/true" }), 0);
		await fails(cordon.CordonLost, cordon.run(touch, { program: talks }));
	},
	async lost() {
		const session = cordon.start(["sh", "-c", "echo $$ >pid; exec sleep 60"]);
		await until(() => fs.existsSync("pid") && fs.readFileSync("pid", "latin1").endsWith("\n"));
		const pid = Number(fs.readFileSync("pid", "latin1"));
		assert.ok(isAlive(pid));
		session.kill("SIGKILL");
		await fails(cordon.CordonLost, session.ended);
		await until(() => !isAlive(pid));
	},
	async unsupported() {
		for (const [name, value] of [["arch", "mips"], ["platform", "win32"]]) {
			const before = process[name];
			Object.defineProperty(process, name, { value });
			await fails(cordon.CordonUnsupported, cordon.run(touch));
			assert.throws(() => cordon.start(touch), cordon.CordonUnsupported);
			Object.defineProperty(process, name, { value: before });
		}
		fs.rmSync(path.dirname(cordon.programPath()), { recursive: true });
		await fails(cordon.CordonUnsupported, cordon.run(touch));
	},
	async bad_arguments() {
		for (const [argv, options] of [["true"], [[]], [[1]], [["a\0b"]], [touch, { args: "-v" }],
			[touch, { args: ["-v", "--", "sh"] }], [touch, { stdio: ["pipe"] }], [touch, { stdio: "pipe" }]])
			await fails(TypeError, cordon.run(argv, options));
	},
	async pipes() {
		const session = cordon.start(["cat"], { stdio: "pipe" });
		let out = "";
		session.stdout.on("data", (text) => { out += text; });
		session.stdin.end("x".repeat(1 << 20));
		assert.equal((await session.ended).status, 0);
		await until(() => out.length === 1 << 20);
	},
	async both_forms() {
		const required = require("cordon-sandbox");
		for (const name of Object.keys(required)) assert.equal(required[name], cordon[name]);
		assert.equal(cordon.default, required);
		assert.equal((await required.run(["true"])).status, 0);
	},
};

await cases[process.argv[2]]();
