import glueLoader from '@jitl/quickjs-wasmfile-release-sync/emscripten-module';
import { QuickJSFFI } from '@jitl/quickjs-wasmfile-release-sync/ffi';
import { base64 } from '@scure/base';
import { scriptLimits } from '../../types/limits/scripts.ts';
import { mainText } from './generated/main.ts';
import { quickjsWasm } from './generated/quickjs_wasm.ts';
import { type GuestAnswer, MachineError, type MachineHooks } from './machine_hooks.ts';
import { FIRST_PAGES, PAGE_BYTES, restoreMemory, type SavedMemory, saveMemory } from './saved_memory.ts';

const MAX_PAGES = scriptLimits.sandbox_bytes.value / PAGE_BYTES;
/** The stack limit of QuickJS. It ends a recursion before the stack of the host's thread overflows. */
const STACK_BYTES = 196_608;
/** The part of the module's 5 MiB stack that is never used, and therefore not cleared before each run. */
const UNUSED_STACK_BYTES = 4 * 1_048_576;
/**
 * The number of loops and calls in the sandbox between two checks of its time. So many take less than a millisecond.
 */
const FUEL = 200_000;

/** A realm that is ready for scripts, in a saved memory. All pointers point into that memory. */
export interface Realm {
  memory: SavedMemory;
  runtime: number;
  context: number;
  call: number;
  answer: number;
}

/** The used parts of the object that the package's loader makes from the module. */
interface Glue {
  _malloc: (bytes: number) => number;
  UTF8ToString: (at: number) => string;
}

// SAFETY: the package's types wrongly describe the loader as a module with a default export.
const loadGlue = glueLoader as unknown as (options: object) => Promise<Glue>;
// SAFETY: the types of the package brand all pointers, which are numbers.
type Functions = { [name in keyof QuickJSFFI]: (...args: (number | string | boolean)[]) => number };

const IDLE: MachineHooks = { onProgress: () => {}, onLog: () => {}, now: () => 0, random: () => 0 };

async function unpack(packed: string): Promise<ArrayBuffer> {
  const bytes = new Blob([new Uint8Array(base64.decode(packed))]);
  return await new Response(bytes.stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}

/**
 * The module's imports for the clock, the time zone and printed output, by their names in the package's build. The time
 * zone is always UTC.
 */
function ownImports(
  memory: WebAssembly.Memory,
  now: () => number,
): Record<string, (...args: number[]) => number | void> {
  const zero = (at: number, length: number) => void new Uint8Array(memory.buffer, at, length).fill(0);
  return {
    // emscripten_date_now
    p: now,
    // _localtime_js gets seconds as a 64-bit integer, and writes a `tm`. The last field of a `tm` is the offset from
    // UTC.
    m: (_seconds, at = 0) => zero(at, 40),
    // _tzset_js writes the zone's offset, and whether the zone has a summer time. The names of the zone stay empty.
    n: (timezone = 0, daylight = 0) => {
      zero(timezone, 4);
      zero(daylight, 4);
    },
    // fd_write: nothing is printed.
    c: () => 0,
    // environ_get, environ_sizes_get: there are no variables.
    e: () => 0,
    f: (count = 0, size = 0) => {
      zero(count, 4);
      zero(size, 4);
      return 0;
    },
  };
}

/** QuickJS's flag JS_EVAL_FLAG_COMPILE_ONLY: the text is parsed and not executed. */
const COMPILE_ONLY = 32;

/**
 * QuickJS in WebAssembly. It has one memory. Each run begins with a restored copy of the saved realm, so no run can see
 * data of another run. The module counts every loop and call, even inside built-in functions.
 */
export class Machine {
  #memory = new WebAssembly.Memory({ initial: FIRST_PAGES, maximum: MAX_PAGES });
  #glue!: Glue;
  #functions!: Functions;
  #fuel!: WebAssembly.Global;
  #stackPointer!: WebAssembly.Global;
  #stackTop = 0;
  #hooks = IDLE;
  #module: WebAssembly.Module;
  #blank!: SavedMemory;

  private constructor(module: WebAssembly.Module) {
    this.#module = module;
  }

  /** Compiles QuickJS. */
  static async load(): Promise<Machine> {
    return await Machine.#of(await WebAssembly.compile(await unpack(quickjsWasm)));
  }

  static async #of(module: WebAssembly.Module): Promise<Machine> {
    const machine = new Machine(module);
    await machine.#start();
    return machine;
  }

  /** The bytes of the memory. They grow with large scripts, and never shrink. */
  get bytes(): number {
    return this.#memory.buffer.byteLength;
  }

  /** Makes a machine with a small memory. It runs the realms of this one, because their pointers fit in both. */
  renew(): Promise<Machine> {
    return Machine.#of(this.#module);
  }

  async #start(): Promise<void> {
    const glue = await loadGlue({
      wasmMemory: this.#memory,
      instantiateWasm: (
        imports: { a: WebAssembly.ModuleImports },
        onInstance: (instance: WebAssembly.Instance) => void,
      ) => {
        const instance = new WebAssembly.Instance(this.#module, {
          a: { ...imports.a, ...ownImports(this.#memory, () => this.#hooks.now()) },
          meter: { refuel: () => this.#refuel() },
        });
        this.#fuel = instance.exports.fuel as WebAssembly.Global;
        this.#stackPointer = instance.exports.stack_pointer as WebAssembly.Global;
        onInstance(instance);
        return instance.exports;
      },
    });
    this.#glue = glue;
    this.#functions = new QuickJSFFI(glue as never) as unknown as Functions;
    // SAFETY: the glue calls only these functions, with numbers.
    Object.assign(glue, {
      callbacks: { callFunction: this.#callHost, shouldInterrupt: () => 0, freeHostRef: () => {} },
    });
    this.#stackTop = this.#stackPointer.value - UNUSED_STACK_BYTES;
    this.#blank = saveMemory(this.#memory);
  }

  #refuel(): void {
    this.#fuel.value = FUEL;
    this.#hooks.onProgress();
  }

  /** The functions of the host, by their numbers. */
  #callHost = (_: unknown, context: number, _self: number, _count: number, args: number, id: number): number => {
    if (id === 1) {
      const text = this.#functions.QTS_GetString(context, this.#functions.QTS_ArgvGetJSValueConstPointer(args, 0));
      this.#hooks.onLog(this.#glue.UTF8ToString(text));
      return this.#functions.QTS_GetUndefined();
    }
    return this.#functions.QTS_NewFloat64(context, this.#hooks.random());
  };

  #textAt(text: string): { at: number; length: number } {
    const bytes = new TextEncoder().encode(text);
    const at = this.#glue._malloc(bytes.length + 1);
    if (at === 0) throw new MachineError('out of memory');
    const place = new Uint8Array(this.#memory.buffer, at, bytes.length + 1);
    place.set(bytes);
    place[bytes.length] = 0;
    return { at, length: bytes.length };
  }

  #newText = (context: number, text: string): number => this.#functions.QTS_NewString(context, this.#textAt(text).at);

  #eval(context: number, text: string, file: string, flags = 0): number {
    const { at, length } = this.#textAt(text);
    return this.#functions.QTS_Eval(context, at, length, file, 0, flags);
  }

  #member(context: number, object: number, name: string): number {
    return this.#functions.QTS_GetProp(context, object, this.#newText(context, name));
  }

  #call(context: number, called: number, args: number[]): number {
    const at = this.#glue._malloc(4 * Math.max(args.length, 1));
    new Uint32Array(this.#memory.buffer, at, args.length).set(args);
    return this.#functions.QTS_Call(context, called, this.#functions.QTS_GetUndefined(), args.length, at);
  }

  #textOf(context: number, value: number): string {
    return this.#glue.UTF8ToString(this.#functions.QTS_GetString(context, value));
  }

  /** Executes all pending jobs. */
  #runJobs(runtime: number): void {
    this.#functions.QTS_ExecutePendingJob(runtime, -1, this.#glue._malloc(4));
  }

  /** Runs work on a saved memory, and translates the errors that the module or its host throws. */
  #from<T>(memory: SavedMemory, hooks: MachineHooks, run: () => T): T {
    // Only the module itself can let the memory grow, because it keeps views of it.
    if (this.bytes < memory.length) this.#glue._malloc(memory.length);
    restoreMemory(this.#memory, memory, { from: this.#stackTop, to: this.#stackTop + UNUSED_STACK_BYTES });
    this.#stackPointer.value = this.#stackTop;
    this.#fuel.value = FUEL;
    this.#hooks = hooks;
    try {
      return run();
    } catch (error) {
      if (error instanceof RangeError) throw new MachineError('stack overflow');
      if (error instanceof WebAssembly.RuntimeError) throw new MachineError(error.message);
      throw error;
    } finally {
      this.#hooks = IDLE;
    }
  }

  /** Makes a realm, and evaluates `runner/script/guest/main.js` and a library in it. */
  makeRealm(library: string): Realm {
    return this.#from(this.#blank, IDLE, () => {
      const quickjs = this.#functions;
      const runtime = quickjs.QTS_NewRuntime();
      quickjs.QTS_RuntimeSetMaxStackSize(runtime, STACK_BYTES);
      const context = quickjs.QTS_NewContext(runtime, 0);
      const realm = quickjs.QTS_GetGlobalObject(context);
      for (const [id, name] of [[1, 'hostLog'], [2, 'hostRandom']] as const) {
        quickjs.QTS_SetProp(
          context,
          realm,
          this.#newText(context, name),
          quickjs.QTS_NewFunction(context, name, 1, false, id),
        );
      }
      for (const text of [mainText, library]) {
        const error = quickjs.QTS_ResolveException(context, this.#eval(context, text, 'guest'));
        if (error !== 0) throw new Error(this.#textOf(context, error));
      }
      this.#runJobs(runtime);
      const guest = this.#member(context, realm, 'guest');
      const [call, answer] = ['call', 'answer'].map((name) => this.#member(context, guest, name)) as [number, number];
      this.#eval(context, 'delete globalThis.guest', 'guest');
      return { memory: saveMemory(this.#memory), runtime, context, call, answer };
    });
  }

  /**
   * Evaluates a text whose value is a function. If a task is given, the guest calls the function with the task. Returns
   * the guest's answer. If the text does not parse, returns an error whose `isParsed` is false.
   */
  run(realm: Realm, { code, task }: { code: string; task?: string }, hooks: MachineHooks): GuestAnswer {
    const { runtime, context, call, answer } = realm;
    return this.#from(realm.memory, hooks, () => {
      const quickjs = this.#functions;
      const compiled = this.#eval(context, code, 'script', task === undefined ? COMPILE_ONLY : 0);
      const error = quickjs.QTS_ResolveException(context, compiled);
      if (error !== 0) return { ...this.#errorOf(context, error), isParsed: false };
      if (task === undefined) return { answer: '' };
      const called = this.#call(context, call, [compiled, this.#newText(context, task)]);
      const failed = quickjs.QTS_ResolveException(context, called);
      if (failed !== 0) return { ...this.#errorOf(context, failed), isParsed: true };
      this.#runJobs(runtime);
      const value = this.#call(context, answer, []);
      const last = quickjs.QTS_ResolveException(context, value);
      return last === 0
        ? { answer: this.#textOf(context, value) }
        : { ...this.#errorOf(context, last), isParsed: true };
    });
  }

  #errorOf(context: number, error: number): { error: string; stack: string } {
    const text = this.#textOf(context, error);
    // QuickJS throws null if it has no memory for an error.
    return {
      error: text === 'null' ? 'out of memory' : text,
      stack: this.#textOf(context, this.#member(context, error, 'stack')),
    };
  }
}
