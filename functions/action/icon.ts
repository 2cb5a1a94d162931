/**
 * The icon of actions whose deployment has no icon. It shows a sheet with three lines; the last line ends in an arrow.
 */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512" role="img" aria-label="Action">
<rect width="512" height="512" fill="#14213d"/>
<g fill="none" stroke="#fca311" stroke-width="32" stroke-linecap="round" stroke-linejoin="round">
<path d="M144 176h224M144 256h224M144 336h160"/>
<path d="M328 296l40 40-40 40"/>
</g>
</svg>
`;

/**
 * A browser that opens the SVG by itself treats it as a document. These headers forbid that document to load or run
 * anything.
 */
const HEADERS = {
  'content-type': 'image/svg+xml',
  'content-security-policy': "default-src 'none'; sandbox",
  'x-content-type-options': 'nosniff',
  'cache-control': 'public, max-age=86400',
};

/** `GET /action/icon.svg`: the drawn icon. */
export const serveIcon = async (): Promise<Response> => new Response(ICON, { headers: HEADERS });
