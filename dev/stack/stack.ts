import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { stackDir } from '../../platform/local_stack/running_stacks.ts';
import { type BootedStack, bootStack, type Started } from './boot/boot_stack.ts';
import { meetRequirements } from './boot/requirements.ts';
import { makeBootProgress } from './parts/boot_progress.ts';
import type { Part } from './parts/part.ts';
import { makePartSet, PartCrash } from './parts/part_set.ts';
import { makeRestarts } from './parts/restarts.ts';
import { removeData } from './stack_dir.ts';
import { StackError } from './stack_error.ts';
import type { StackOptions } from './stack_options.ts';
import { claimStack } from './stack_record.ts';
import { startSweeper, type Sweeper } from './sweeper.ts';

/** How long a halted boot may take to end before its database is stopped. */
const HALT_GRACE_MS = 1_000;
/** How often a stack checks that its folder still exists. */
const FOLDER_CHECK_MS = 1_000;

export interface Stack extends BootedStack {
  /** The processes of the stack, by name. */
  parts: readonly Pick<Part, 'name' | 'pid'>[];
  /**
   * Ends a part, or the `gateway`, and starts it again. The part gets the given signal, or else its usual stop signal.
   * Resolves when the part answers again. Such a restart does not count as a restart after a crash. For tests only.
   */
  restart: (name: string, signal?: NodeJS.Signals) => Promise<void>;
  /** Ends a part for good, by a signal. For tests only. */
  end: (name: string, signal: NodeJS.Signals) => Promise<void>;
  /** Builds the console in the background. Without this call, the console is built on the first request. */
  buildConsole: () => void;
  stop: () => Promise<void>;
  /** Stops the stack and deletes its database and keys. */
  remove: () => Promise<void>;
}

/** Waits for the end of a task, but at most for `timeoutMs`. */
async function waitAtMost(task: Promise<unknown>, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise((resolve) => timer = setTimeout(resolve, timeoutMs));
  await Promise.race([task.catch(() => {}), timeout]);
  clearTimeout(timer);
}

/**
 * Boots the whole stack: Postgres, Auth, Storage, PostgREST, the Edge Functions and the gateway in front of them, and a
 * chain if `chain` is set. Auth and Storage start at their first request. Resolves when all other parts answer. If a
 * part fails, rejects with a StackError and leaves nothing running.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  options.signal?.throwIfAborted();
  const { port, log = () => {} } = options;
  const dir = options.dir ?? stackDir(port);
  const dataDir = await meetRequirements(dir, options.chain ?? false);
  const claim = await claimStack(dir, port, dataDir);

  const halt = new AbortController();
  const restarts = makeRestarts({ log, onGiveUp: (description) => halt.abort(new PartCrash(description)) });
  const set = makePartSet(halt, restarts.revive);
  const folderCheck = setInterval(() => {
    if (claim.isGone()) halt.abort(new PartCrash(''));
  }, FOLDER_CHECK_MS).unref();
  /**
   * Describes why the stack could not continue. If the stack's folder was deleted, the parts fail in many ways that
   * would not reveal the cause.
   */
  const describeCrash = (crash: PartCrash): string =>
    isGone
      ? `${dir} was deleted while its stack ran. The database and the keys were in it. npm start makes new ones`
      : crash.message;
  const started: Started = { boots: new Map() };
  let sweeper: Sweeper | undefined;
  let isGone = false;
  const { track, end: endProgress } = makeBootProgress(options.onProgress ?? (() => {}));

  const boot = async (): Promise<BootedStack> => {
    const onSocketDir = (socketDir: string) => claim.update({ socketDir });
    const booted = await bootStack({ options, dir, dataDir, halt, keep: set.keep, track, onSocketDir }, started);
    for (const [name, bootAgain] of started.boots) restarts.allow(name, bootAgain);
    halt.signal.throwIfAborted();
    if (options.sweep ?? true) sweeper = startSweeper(booted.status, log);
    claim.update({ state: 'ready', status: booted.status });
    return booted;
  };

  const restart = async (name: string, signal?: NodeJS.Signals) => {
    const boot = started.boots.get(name);
    if (boot === undefined) {
      throw new StackError(`The stack has no part ${name}; it has: ${[...started.boots.keys()].join(', ')}`);
    }
    if (name === 'gateway') await started.gateway?.close();
    else await set.stop(name, signal);
    await boot();
  };
  const endAll = async () => {
    clearInterval(folderCheck);
    endProgress();
    isGone = claim.isGone();
    claim.update({ state: 'stopping' });
    halt.abort();
    sweeper?.stop();
    await Promise.all([started.gateway?.close(), started.gateway?.closeConsole()]);
    await set.stopUsers();
    // The tasks of a halted boot can end only while their database is running, because a client that loses its database
    // may wait for ever.
    await waitAtMost(booting, HALT_GRACE_MS);
    await started.gateway?.close();
    await set.stopDatabase();
    if (started.socketDir !== undefined) await rm(started.socketDir, { recursive: true, force: true });
    claim.release();
  };
  let ending: Promise<void> | undefined;
  const stop = (): Promise<void> => ending ??= endAll();

  const halted = once(halt.signal, 'abort').then(async () => {
    await stop();
    throw halt.signal.reason;
  });
  const haltOnRequest = () => halt.abort(options.signal?.reason);
  if (options.signal?.aborted) haltOnRequest();
  options.signal?.addEventListener('abort', haltOnRequest);
  const booting = boot().finally(endProgress);
  try {
    const booted = await Promise.race([booting, halted]);
    halted.catch((reason) => reason instanceof PartCrash && options.onCrash?.(describeCrash(reason)));
    const remove = async () => {
      await stop();
      await removeData(dir);
      await rm(dir, { recursive: true, force: true });
    };
    const buildConsole = () => started.gateway?.buildConsole();
    return { ...booted, parts: set.parts, restart, end: set.stop, buildConsole, stop, remove };
  } catch (error) {
    const cause = halt.signal.aborted ? halt.signal.reason : error;
    await stop();
    throw cause instanceof PartCrash ? new StackError(describeCrash(cause)) : cause;
  }
}
