/** What the functions take from the runtime around them; below index.ts nothing else reaches globals of the environment. */
export interface Platform {
  env: (name: string) => string | undefined;
  fetch: typeof fetch;
  /** Lets work go on after the answer. */
  waitUntil: (work: Promise<unknown>) => void;
}

interface RuntimeGlobals {
  Deno?: { env: { get: (name: string) => string | undefined } };
  EdgeRuntime?: { waitUntil: (work: Promise<unknown>) => void };
}

/**
 * A body that can be read once. Deno sends a request again by itself when a connection that it kept breaks before the answer,
 * whether or not the request has arrived (denoland/deno#32566): a start would start two runs. What it can't read again it leaves alone.
 */
function readOnce(text: string): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    },
  });
}

/** fetch, which sends what has a body once. */
const fetchOnce: typeof fetch = (input, init) => {
  if (typeof init?.body !== 'string' || init.body === '') return fetch(input, init);
  // The standard asks for it with a stream; its types don't have it yet.
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
    // Plain Deno goes on with whatever is pending.
    waitUntil: (work) => globals.EdgeRuntime?.waitUntil(work),
  };
}
