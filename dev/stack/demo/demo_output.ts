/** The most characters of an answer on a line. */
const ANSWER_SHOWN = 50;

const shorten = (text: string): string => text.length > ANSWER_SHOWN ? `${text.slice(0, ANSWER_SHOWN)} …` : text;

/** Hides passwords and tokens, so that nobody copies them from a screen. */
const hideSecrets = (text: string): string =>
  text.replace(
    /("(?:password|access_token|refresh_token|token)":\s*")[^"]{6,}(")/g,
    (_, before, after) => `${before}…${after}`,
  );

const oneLine = (text: string): string => hideSecrets(text.replace(/\s+/g, ' '));

/**
 * Makes a fetch that prints each request with its answer and its duration on one line. If `isVerbose`, prints both
 * bodies.
 */
export const makeLoggingFetch = (isVerbose: boolean): typeof fetch => async (input, init) => {
  const url = new URL(input instanceof Request ? input.url : input);
  const method = init?.method ?? 'GET';
  const path = `${url.pathname}${decodeURIComponent(url.search)}`;
  const began = performance.now();
  const response = await fetch(input, init);
  const took = `${(performance.now() - began).toFixed(0)} ms`;
  const answer = oneLine(await response.clone().text());
  if (!isVerbose) {
    const shown = shorten(url.pathname.startsWith('/auth/') ? '' : answer);
    console.log(`  ${method.padEnd(4)} ${shorten(path)} → ${response.status} in ${took} ${shown}`.trimEnd());
    return response;
  }
  const body = typeof init?.body === 'string' ? ` ${oneLine(init.body)}` : '';
  console.log(`  → ${method} ${path}${body}\n  ← ${response.status} in ${took} ${answer}`);
  return response;
};
