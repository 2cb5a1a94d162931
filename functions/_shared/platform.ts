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

/** The platform of a running Edge Function: Deno, with EdgeRuntime where Supabase's runtime provides it. */
export function edgePlatform(): Platform {
  // SAFETY: both globals are optional in the type; without Deno there is no environment to read.
  const globals = globalThis as RuntimeGlobals;
  return {
    env: (name) => globals.Deno?.env.get(name),
    fetch: (input, init) => fetch(input, init),
    // Plain Deno goes on with whatever is pending.
    waitUntil: (work) => globals.EdgeRuntime?.waitUntil(work),
  };
}
