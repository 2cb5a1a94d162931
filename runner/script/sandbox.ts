import type { GuestAnswer, MachineHooks } from './machine_hooks.ts';
import type { Machine, Realm } from './machine.ts';

/** The libraries that a realm of the sandbox can have besides the language. */
type Library = 'none' | 'typescript' | 'jsonata' | 'mustache' | 'csv';

/**
 * Runs code in realms. Code can't reach anything outside its realm, and only its answer leaves the realm. Each run
 * begins with a fresh realm.
 */
export interface Sandbox {
  /** Evaluates code whose value is a function, and makes the guest call that function with a task. */
  run: (library: Library, code: string, task: string, hooks: MachineHooks) => GuestAnswer;
  /** Evaluates code whose value is a function, without a call of that function. */
  parse: (code: string, hooks: MachineHooks) => GuestAnswer;
}

/** The texts of the libraries. Each one is loaded when it is first needed, because most runs need no library. */
const TEXTS: Record<Library, () => Promise<string>> = {
  none: () => Promise.resolve(''),
  typescript: async () => (await import('./generated/typescript.ts')).typescriptText,
  jsonata: async () => (await import('./generated/jsonata.ts')).jsonataText,
  mustache: async () => (await import('./generated/mustache.ts')).mustacheText,
  csv: async () => (await import('./generated/csv.ts')).csvText,
};

/** A memory of this size is given back after a run, unless a realm itself needs more than half of it. */
const LARGE_BYTES = 16 * 1_048_576;

let machine: Machine | undefined;
let renewal: Promise<void> | undefined;
let loading: Promise<Machine> | undefined;
const texts = new Map<Library, string>();
const realms = new Map<Library, Realm>();
/** The milliseconds that making realms has taken. */
let preparedMs = 0;

/** A clock in milliseconds. It stops while a realm is made, because that time does not count for a script. */
export const scriptClock = (): number => performance.now() - preparedMs;

function makeRealm(loaded: Machine, text: string): Realm {
  const begin = performance.now();
  const realm = loaded.makeRealm(text);
  preparedMs += performance.now() - begin;
  return realm;
}

/**
 * Replaces a machine whose memory a script has made large. Otherwise each later script would have to clear the whole
 * memory first.
 */
function giveBack(used: Machine): void {
  const needed = Math.max(...Array.from(realms.values(), ({ memory }) => memory.length));
  if (used !== machine || renewal !== undefined || used.bytes <= Math.max(LARGE_BYTES, 2 * needed)) return;
  renewal = used.renew().then((renewed) => void (machine = renewed), () => {}).finally(() => renewal = undefined);
}

async function load(): Promise<Machine> {
  const { Machine } = await import('./machine.ts');
  return machine = await Machine.load();
}

function makeSandbox(loaded: Machine): Sandbox {
  const realmOf = (library: Library): Realm => {
    const text = texts.get(library);
    if (text === undefined) throw new Error(`the sandbox was opened without ${library}`);
    const realm = realms.get(library) ?? makeRealm(loaded, text);
    realms.set(library, realm);
    return realm;
  };
  const runOn = (library: Library, task: { code: string; task?: string }, hooks: MachineHooks): GuestAnswer => {
    try {
      return loaded.run(realmOf(library), task, hooks);
    } finally {
      giveBack(loaded);
    }
  };
  return {
    run: (library, code, task, hooks) => runOn(library, { code, task }, hooks),
    parse: (code, hooks) => runOn('none', { code }, hooks),
  };
}

/** The bytes of the sandbox's memory in this thread. */
export const sandboxBytes = (): number => machine?.bytes ?? 0;

/**
 * Returns the sandbox of this thread with these libraries. While the libraries are loading, returns a promise of it.
 */
export function openSandbox(libraries: readonly Library[]): Sandbox | Promise<Sandbox> {
  const missing = libraries.filter((library) => !texts.has(library));
  if (machine !== undefined && missing.length === 0) return makeSandbox(machine);
  loading ??= load();
  // The next call tries to load the failed libraries again.
  loading.catch(() => loading = undefined);
  const read = missing.map(async (library) => texts.set(library, await TEXTS[library]()));
  return Promise.all([loading, ...read]).then(([loaded]) => makeSandbox(loaded));
}
