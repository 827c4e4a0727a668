// SPDX-License-Identifier: MIT
// Types of index.cjs. The events are those of cordon.events.schema.json, version 1.
/// <reference types="node" />
import type { Readable, Writable } from "node:stream";

export interface EventBase {
	v: 1;
	time: string;
	session: string;
	project: string;
}
export interface StartEvent extends EventBase {
	event: "start";
	command: string[];
	sources: string[];
	guarantees: Record<string, string>;
	layers?: string[];
	notices?: string[];
	arguments?: number;
	name?: string;
	agent_session?: string;
	tool_use?: string;
}
export interface RefusedEvent extends EventBase {
	event: "refused";
	what: string;
	subject: string;
	/** One word of a closed list, such as "not-granted". */
	cause: string;
	guarantee: string;
	reason: string;
	known: "decided" | "observed" | "predicted" | "guessed";
	rule?: string;
	/** The option that would allow it, quoted for a shell. Let a person decide about it. */
	allow?: string;
	nest?: number;
	fails_anyway?: true;
}
export interface UsedEvent extends EventBase {
	event: "used";
	what: string;
	subject: string;
	known: RefusedEvent["known"];
}
export interface ChangedEvent extends EventBase {
	event: "changed" | "planted";
	what: string;
	subject: string;
	reason: string;
}
export interface LimitEvent extends EventBase {
	event: "limit";
	limit: "time" | "output" | "processes" | "memory" | "cpu_time";
}
export type Cause = "exit" | "signal" | "time" | "output" | "memory" | "killed" | "cpu time" | "crashed";
export interface EndEvent extends EventBase {
	event: "end";
	cause: Cause;
	seconds: number;
	ended: number;
	status?: number;
	signal?: number;
	refused?: number;
	changed?: number;
	hit?: string[];
	lives_on?: true;
	survivors?: { pid: number; name: string }[];
}
/** The command was not started; the promise is rejected after it. */
export interface NotStartedEvent {
	v: 1;
	time: string;
	session?: string;
	project?: string;
	event: "end";
	cause: "not started";
	error: string;
}
export type Event = StartEvent | RefusedEvent | UsedEvent | ChangedEvent | LimitEvent | EndEvent | NotStartedEvent;

export type Stdio = "inherit" | "pipe" | "ignore" | number;
export interface Options {
	/** Options of `cordon run`, such as ["--domain", "example.com"]. */
	args?: string[];
	/** Standard input, output and error of the command; "inherit" by default. Read what is a "pipe". */
	stdio?: Stdio | [Stdio, Stdio, Stdio];
	cwd?: string;
	/** The environment of cordon; the policy selects what the command gets of it. */
	env?: Record<string, string | undefined>;
	/** Another cordon than the one of this package. */
	program?: string;
}
export interface Ended {
	/** Exit status as cordon(1) describes it; null if a signal ended cordon, too. */
	status: number | null;
	cause: Cause;
	/** Number of the signal that ended the command. */
	signal: number | null;
	refused: RefusedEvent[];
	changed: ChangedEvent[];
	events: Event[];
}
export interface Session {
	readonly pid: number | undefined;
	/** Every event from the first on; throws at the end what `ended` is rejected with. */
	readonly events: AsyncIterable<Event>;
	/** Rejected with CordonNotStarted or CordonLost. */
	readonly ended: Promise<Ended>;
	readonly stdin: Writable | null;
	readonly stdout: Readable | null;
	readonly stderr: Readable | null;
	kill(signal?: NodeJS.Signals): boolean;
}

export class CordonError extends Error {
	/** Exit status of cordon, if it had one: 125, or 126 or 127 for the command's name. */
	readonly status: number | null;
}
/** There is no program for this system or processor. */
export class CordonUnsupported extends CordonError {}
/** cordon did not start the command. */
export class CordonNotStarted extends CordonError {}
/** cordon was killed; its guard ends the command. */
export class CordonLost extends CordonError {}

/** Starts a command in a sandbox. Throws CordonUnsupported. */
export function start(argv: string[], options?: Options): Session;
/** Runs a command in a sandbox until it has ended. Takes no "pipe". */
export function run(argv: string[], options?: Options): Promise<Ended>;
/** The static program of this package. */
export function programPath(): string;
