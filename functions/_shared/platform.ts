/** The parts of the runtime that the functions use. Only index.ts reads the runtime's globals. */
export interface Platform {
  env: (name: string) => string | undefined;
  fetch: typeof fetch;
  /** Keeps the function alive for work that continues after the answer. */
  waitUntil: (work: Promise<unknown>) => void;
}

interface RuntimeGlobals {
  Deno?: { env: { get: (name: string) => string | undefined } };
  EdgeRuntime?: { waitUntil: (work: Promise<unknown>) => void };
}

/**
 * Makes a body that can be read only once. If a kept-alive connection breaks before the answer, Deno repeats the
 * request even if it has arrived (denoland/deno#32566): one start would make two runs. Deno can't repeat a stream.
 */
function readOnce(text: string): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    },
  });
}

/** A fetch that never sends a request with a body twice. */
const fetchOnce: typeof fetch = (input, init) => {
  if (typeof init?.body !== 'string' || init.body === '') return fetch(input, init);
  // The standard demands `duplex` for a stream; the types of fetch lack it.
  const once: RequestInit & { duplex: 'half' } = { ...init, body: readOnce(init.body), duplex: 'half' };
  return fetch(input, once);
};

/** The platform of a running Edge Function: Deno, with EdgeRuntime where Supabase's runtime provides it. */
export function edgePlatform(): Platform {
  // SAFETY: both globals are optional in the type; without Deno there is no environment to read.
  const globals = globalThis as RuntimeGlobals;
  return {
    env: (name) => globals.Deno?.env.get(name),
    fetch: fetchOnce,
    // Plain Deno finishes pending work by itself.
    waitUntil: (work) => globals.EdgeRuntime?.waitUntil(work),
  };
}
