/** The project to which this console belongs. */
export interface ConsoleConfig {
  /** The project's address, without a slash at its end. */
  url: string;
  /** The project's publishable key. */
  key: string;
}

/** Reads config.json, which the local stack or `npm run console:build` puts next to the page. */
export async function loadConfig(): Promise<ConsoleConfig> {
  const response = await fetch(`${import.meta.env.BASE_URL}config.json`);
  if (!response.ok) throw new Error(`config.json answered with status ${response.status}.`);
  const config: Partial<ConsoleConfig> = await response.json();
  if (typeof config.url !== 'string' || typeof config.key !== 'string') {
    throw new Error('config.json must have url and key, both texts.');
  }
  return { url: config.url.replace(/\/$/, ''), key: config.key };
}
