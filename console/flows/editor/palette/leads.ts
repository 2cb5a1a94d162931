/** A place outside of the canvas where a user finds what a search of the palette means. */
export interface Lead {
  text: string;
  link: string;
  href: string;
}

const SCHEDULE: Lead = {
  text: 'A schedule starts a deployment of this flow at fixed times.',
  link: 'Go to the schedules',
  href: '/schedules',
};
const WEBHOOK: Lead = {
  text: 'A webhook starts a deployment when another system calls its address. Make one in the deployment’s triggers.',
  link: 'Go to the deployments',
  href: '/deployments',
};
const CONNECTION: Lead = {
  text: 'A connection keeps a secret. The node HTTP Request sends it.',
  link: 'Go to the connections',
  href: '/connections',
};

const addNodes = (text: string): Lead => ({ text, link: 'Add nodes', href: '/nodes/add' });
const API = addNodes('The operations of an API with an OpenAPI document become nodes without code.');
const TOOLS = addNodes('The tools of an MCP server become nodes without code.');
const PROGRAM = addNodes('The instructions of a Solana program with an IDL become nodes without code.');

const LEADS: Readonly<Record<string, Lead>> = {
  cron: SCHEDULE,
  schedule: SCHEDULE,
  scheduled: SCHEDULE,
  interval: SCHEDULE,
  timer: SCHEDULE,
  daily: SCHEDULE,
  hourly: SCHEDULE,
  webhook: WEBHOOK,
  hook: WEBHOOK,
  secret: CONNECTION,
  credential: CONNECTION,
  password: CONNECTION,
  oauth: CONNECTION,
  api: API,
  openapi: API,
  swagger: API,
  mcp: TOOLS,
  tool: TOOLS,
  anchor: PROGRAM,
  idl: PROGRAM,
  program: PROGRAM,
};

/** Returns the place to which a search leads; undefined if none of its words means such a place. */
export function leadOf(search: string): Lead | undefined {
  for (const word of search.toLowerCase().split(/\s+/)) {
    const name = [word, word.replace(/s$/, '')].find((known) => Object.hasOwn(LEADS, known));
    if (name !== undefined) return LEADS[name];
  }
  return undefined;
}
