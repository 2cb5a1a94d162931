/**
 * The services of the runtime that a function uses. The function's index.ts passes them in, so that tests can replace
 * them.
 */
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
 * A body that can be read only once. If a kept-alive connection breaks before the answer, Deno sends the request again,
 * even if the request has arrived (denoland/deno#32566). A start would then start two runs. This body is a stream, and
 * Deno can't send a stream again.
 */
function readOnce(text: string): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    },
  });
}

/** fetch that never sends a request with a body twice. */
const fetchOnce: typeof fetch = (input, init) => {
  if (typeof init?.body !== 'string' || init.body === '') return fetch(input, init);
  // The standard demands `duplex` for a stream; the types of fetch lack it.
  const once: RequestInit & { duplex: 'half' } = { ...init, body: readOnce(init.body), duplex: 'half' };
  return fetch(input, once);
};

/** The platform of a running Edge Function. It uses Deno, and also EdgeRuntime if Supabase's runtime provides it. */
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
