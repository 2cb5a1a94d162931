const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const page = (title: string, head: string, body: string): string =>
  `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>${head}
<style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:15vh auto;padding:0 1rem}
pre{white-space:pre-wrap;overflow-wrap:anywhere}</style></head>
<body><h1>${title}</h1>${body}</body>
</html>
`;

/** The folder of the console's scripts and styles. The policy allows no other scripts. */
export const ASSETS = 'assets/';

/**
 * The name of the script that opens the console when it is built. It is a file, because the policy forbids inline
 * scripts.
 */
export const WAITING_SCRIPT_NAME = `${ASSETS}waiting.js`;

/**
 * Asks each second whether the console is built, and reloads the page once it is. If the page refreshed itself each
 * second, screen readers would read it out each time.
 */
export const WAITING_SCRIPT = `const ask = async () => {
  const answer = await fetch(location.href, { method: 'HEAD' }).catch(() => undefined);
  if (answer === undefined || answer.status === 503) setTimeout(ask, 1000);
  else location.reload();
};
ask();
`;

/** The page that is shown until the console is built. `root` is the path under which the console is served. */
export const waitingPage = (root: string): string =>
  page(
    'The console is being built',
    `<script src="${root}${WAITING_SCRIPT_NAME}" defer></script>`,
    '<p>This happens once, and again after its sources have changed. The page opens by itself.</p>',
  );

/** The page that is shown if the console could not be built. */
export const failurePage = (error: string): string =>
  page(
    'The console could not be built',
    '',
    `<p>The rest of the stack works. Restart it to build the console again.</p><pre>${escapeHtml(error)}</pre>`,
  );
