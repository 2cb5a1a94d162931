import { randomUUID } from 'node:crypto';
import { FlowBuilder, textFlow } from '../../support/flow_builder.ts';
import { type Attack, inTurn } from './attack.ts';
import type { Attacker } from './attacker.ts';
import { inventedCredentials, madeUpKey } from './invented_credentials.ts';
import { leaveOpen } from './leave_open.ts';

const PATH = '/functions/v1/mcp';
const VERSION = '2026-07-28';
const ACCEPT = { accept: 'application/json, text/event-stream' };

/** A message of the newest revision, whose client has nothing to offer. */
const messageText = (method: string, params: object): string => {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientInfo': { name: 'hostile', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
    progressToken: 1,
  };
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } });
};

const headersOf = (method: string, name?: string) => ({
  ...ACCEPT,
  'mcp-protocol-version': VERSION,
  'mcp-method': method,
  ...(name !== undefined && { 'mcp-name': name }),
});

/** A loop over many elements, whose output is too large for the buffers of a connection. */
function loudFlow(): FlowBuilder {
  const flow = new FlowBuilder();
  flow.output('out', flow.collect(flow.toText(flow.foreach(flow.range(flow.json(300))))));
  flow.output('text', flow.constant({ S: 'a'.repeat(900_000) }));
  return flow;
}

/** A flow that lasts longer than a round of a call. */
function longFlow(): FlowBuilder {
  const flow = new FlowBuilder();
  flow.output('out', flow.wait(flow.json(1), 600_000));
  return flow;
}

/** Makes a tool of the flow. Returns its name. */
async function storeTool(attacker: Attacker, flow: FlowBuilder): Promise<string> {
  const id = await attacker.store(flow);
  const name = randomUUID();
  await attacker.deploy(id);
  await attacker.send(`/rest/v1/flows?id=eq.${id}`, JSON.stringify({ tool_name: name }), undefined, 'PATCH');
  return name;
}

/** The number of tools of the attacker. A page has 100. */
const TOOLS = 250;
/** The deployments that are made at the same time. */
const DEPLOYS = 5;

/** Makes so many tools. Returns their names. */
async function storeTools(attacker: Attacker, count: number): Promise<string[]> {
  const names: string[] = [];
  while (names.length < count) {
    names.push(...await Promise.all(Array.from({ length: DEPLOYS }, () => storeTool(attacker, textFlow()))));
  }
  return names;
}

/** Sends a message of an assistant, and reads the whole answer. */
const sendMessage = (attacker: Attacker, method: string, params: object, name?: string) =>
  attacker.send(PATH, messageText(method, params), {
    ...headersOf(method, name),
    authorization: attacker.authorization,
  });

/** Calls a tool, and reads only the beginning of the stream. */
function callUnread(attacker: Attacker, name: string) {
  const body = messageText('tools/call', { name, arguments: {} });
  const headers = {
    ...headersOf('tools/call', name),
    authorization: attacker.authorization,
    'content-type': 'application/json',
    'content-length': body.length,
  };
  const lines = Object.entries(headers).map(([header, value]) => `${header}: ${value}`);
  return leaveOpen(attacker, [`POST ${PATH} HTTP/1.1`, ...lines], body, 'the beginning');
}

/** Attacks by the messages of assistants. */
export const mcpAttacks: Attack[] = [
  {
    name: 'tool calls whose streams nobody reads',
    lanes: 8,
    prepare: async (attacker) => {
      const names = [await storeTool(attacker, loudFlow()), await storeTool(attacker, longFlow())];
      return inTurn(names.map((name) => () => callUnread(attacker, name)));
    },
  },
  {
    name: 'lists of 250 tools, with calls of them at once',
    lanes: 16,
    prepare: async (attacker) => {
      const calls = (await storeTools(attacker, TOOLS)).map((name) => () =>
        sendMessage(attacker, 'tools/call', { name, arguments: { value: 1 } }, name)
      );
      const list = () => sendMessage(attacker, 'tools/list', {});
      return inTurn(calls.flatMap((call) => [list, call]));
    },
  },
  {
    name: 'messages of assistants with invented credentials',
    lanes: 50,
    prepare: (attacker) => {
      let count = 0;
      const credentials = [...inventedCredentials, () => ({ authorization: `Bearer ${madeUpKey()}` })];
      return Promise.resolve(() => {
        const path = count % 2 === 0 ? PATH : `${PATH}/d/${randomUUID()}`;
        const headers = { ...headersOf('tools/list'), ...credentials[count++ % credentials.length]!() };
        return attacker.send(path, messageText('tools/list', {}), headers);
      });
    },
  },
];
