import { clientErrorCodes } from '../../../client/flow_error.ts';
import { StackError } from '../../stack/stack_error.ts';
import { markdownTable } from '../markdown_table.ts';
import { declarationsOf, type Declared, type DeclaredMember } from './declarations.ts';
import { list, page, paragraph } from './page.ts';

/** Types that the methods name and that callers rarely write. */
const NOT_SHOWN = ['FlowClient', 'Deployment', 'DeploymentTypes', 'StartArguments'];

const code = (source: string): string => `\`\`\`ts\n${source}\n\`\`\``;

/** Formats a method without the indentation of its interface. */
const method = ({ name, source, doc }: DeclaredMember): string =>
  [`### ${name}`, code(source.replaceAll(/^ {2}/gm, '')), paragraph(doc)].join('\n\n');

const members = (declared: Declared): string =>
  markdownTable([
    ['member', 'type', 'meaning'],
    ...declared.members.map(({ name, type, isOptional, doc }) => [
      `\`${name}${isOptional ? '?' : ''}\``,
      `\`${type.replaceAll(/\s+/g, ' ')}\``,
      doc,
    ]),
  ]);

const type = (declared: Declared): string[] => [
  `### ${declared.name}`,
  ...(declared.doc === '' ? [] : [paragraph(declared.doc)]),
  declared.members.length === 0 ? code(declared.source) : members(declared),
];

/** The JavaScript types of values, as `fromValue` returns them. */
const VALUES: string[][] = [
  ['`U`, `I`, `U1`, `I1`', 'bigint', 'bigint'],
  ['`D`', 'string, such as `2.20`, because no JavaScript number holds it exactly', 'number'],
  ['`F`', 'number', 'a tagged value in `inputs`, or a number if the deployment takes a float'],
  ['`S`', 'string', 'string'],
  ['`B`', 'boolean', 'boolean'],
  ['`N`', 'null', 'null'],
  [
    '`B3`, `B6`: keys and signatures',
    'string, base58',
    'Uint8Array of 32 or 64 bytes, or a string if the deployment takes a key',
  ],
  ['`BY`', 'Uint8Array', 'Uint8Array'],
  ['`A`, `M`', 'array, plain object', 'array, plain object'],
];

/** Makes docs/reference/client.md. Throws if a method has no comment. */
export function clientPage(): string {
  const declared = declarationsOf('client/flow_client.ts');
  const [options] = declarationsOf('client/requests/connection.ts').filter(({ name }) => name === 'ConnectionOptions');
  const methods = declared.find(({ name }) => name === 'FlowClient')?.members ?? [];
  const silent = methods.filter(({ doc }) => doc === '').map(({ name }) => name);
  if (options === undefined || methods.length === 0 || silent.length > 0) {
    throw new StackError(`client/flow_client.ts: methods without a comment: ${silent.join(', ')}`);
  }
  return page(
    'The client',
    '`client/flow_client.ts` and `dev/docs/reference/client_page.ts`',
    paragraph(
      '`flow-deployments-client` is a typed package for browsers, Deno and Node 20 or newer. It has no dependencies; supabase-js is an optional peer. [The shell](shell.md) is its command `flows`.',
    ),
    code(
      `import { createClient } from '@supabase/supabase-js';
import { createFlowClient, FlowError } from 'flow-deployments-client';

const flows = createFlowClient(createClient(url, publishableKey)); // uses the session of supabase-js
const scripted = createFlowClient({ url, key: publishableKey, apiKey }); // without supabase-js`,
    ),
    list([
      'A client of supabase-js provides address, keys, session and `fetch`. supabase-js itself renews the session.',
      'If the token of a run is known, it is the only credential of `output`, `stop` and `signatureRequests`, and an additional credential of `events`, `run`, `logs` and `pendingInputs`. Callers who start with `publicKey` therefore need no other credential.',
      'If a repetition is safe, the client repeats a request that got no answer, or an answer of 502, 503 or 504. It does not repeat deploys and answers to signature requests.',
      'The client follows no redirect, because it would send headers such as `x-api-key` to the new address. An answer has at most 64 MiB.',
    ]),
    '## Options of createFlowClient',
    members({
      ...options,
      members: [...options.members, ...declared.find(({ name }) => name === 'FlowClientOptions')!.members],
    }),
    '## Methods',
    ...methods.map(method),
    '## A deployment with types',
    paragraph(
      '`npx flows types <deployment> --name Shop > shop.ts` writes the types of a deployment, which are derived from its ports. The compiler then finds a wrong input before the backend does.',
    ),
    code(
      `import type { Shop } from './shop.ts';

const shop = flows.deployment<Shop>({ flow: 7, tag: 'stable' });
const { receipt } = await shop.run({ item: 'tea', quantity: 3 });`,
    ),
    '## Values',
    paragraph(
      "The client sends plain inputs as `values`, and the backend converts them by the types of the deployment. If an input does not fit, the backend refuses the start and names the path of the fault. Bigints keep all their digits. Values that JSON can't represent (bytes, infinities, NaN) and the values in `inputs` are sent as tagged values. `toValue` and `fromValue` convert without loss, and without the types of a deployment:",
    ),
    markdownTable([['value', 'what `fromValue` and `output` give', 'what `toValue` makes it of'], ...VALUES]),
    '## Errors',
    paragraph(
      'Every method throws errors of one class, `FlowError`. `code` is stable, and is a code of [the backend](errors.md), of Postgres, or of the client. `message` and `hint` are for people. `details` has further data. `status` is the HTTP status, or 0 without an answer. `retryAfter` has the seconds of the header `Retry-After`, or null.',
    ),
    code(
      `try {
  await flows.start(7, { item: 'tea' });
} catch (error) {
  if (error instanceof FlowError && error.code === 'start_limit_reached') await wait(error.retryAfter);
  else throw error;
}`,
    ),
    markdownTable([
      ['code of the client', 'meaning'],
      ...Object.entries(clientErrorCodes).map(([name, meaning]) => [`\`${name}\``, meaning]),
    ]),
    '## Types',
    ...declared.filter(({ name }) => !NOT_SHOWN.includes(name) && name !== 'FlowClientOptions').flatMap(type),
  );
}
