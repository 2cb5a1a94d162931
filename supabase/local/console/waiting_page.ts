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

/** Shown until the console is built. It asks again by itself. */
export const waitingPage = (): string =>
  page(
    'The console is being built',
    '<meta http-equiv="refresh" content="1">',
    '<p>This happens once, and again after its sources have changed. The page opens by itself.</p>',
  );

/** Shown when the console could not be built. */
export const failurePage = (error: string): string =>
  page(
    'The console could not be built',
    '',
    `<p>The rest of the stack works. Restart it to build the console again.</p><pre>${escapeHtml(error)}</pre>`,
  );
