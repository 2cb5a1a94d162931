import { solanaImplementationSchema } from '../../../types/described/solana/implementation.ts';
import { TypeRefused } from '../../../types/described/solana/measure_types.ts';
import type { Effects } from '../../../types/node_definition.ts';
import type { DefinitionToStore } from '../../flow_client.ts';
import { checkedDefinition, type Described, type DescribeOptions, NodeIds, WantedOperations } from '../described.ts';
import { objectOf, OperationRefused, printable } from '../documents.ts';
import { makeForm } from '../form.ts';
import type { DescribedPorts } from '../ports.ts';
import { readAccount } from './account.ts';
import { InstructionReader } from './instruction.ts';
import { snakeCase, wordsOf } from './names.ts';
import { readProgram } from './program.ts';
import { docsOf, type ProgramReading, readErrors } from './reading.ts';
import { KnownTypes } from './types.ts';

/** The most instructions and types of accounts of one program that are read. */
const MAX_PARTS = 5_000;

/** An instruction or a type of account, with its place in the IDL. */
interface FoundPart {
  kind: 'instruction' | 'account';
  name: string;
  place: string;
  node: () => unknown;
}

function partsOf({ program }: ProgramReading): FoundPart[] {
  const found = [
    ...program.instructions.map(({ name, node }) => ({ kind: 'instruction' as const, name, node })),
    ...program.accounts.map(({ name, node }) => ({ kind: 'account' as const, name, node })),
  ];
  if (found.length > MAX_PARTS) {
    throw new OperationRefused(`the program has more than ${MAX_PARTS} instructions and accounts`);
  }
  return found.map((part) => ({ ...part, place: printable(`${part.kind} ${part.name}`, 500) }));
}

interface ReadPart {
  implementation: unknown;
  ports: DescribedPorts;
  title: string;
  effects: Effects;
}

function readPart(reading: ProgramReading, { kind, name }: FoundPart, node: unknown): ReadPart {
  const snake = snakeCase(name);
  if (kind === 'account') {
    const { implementation, ports } = readAccount(reading, snake, objectOf(node));
    return { implementation, ports, title: `Read ${wordsOf(snake).toLowerCase()}`, effects: 'none' };
  }
  const reader = new InstructionReader(reading);
  const implementation = reader.read(snake, objectOf(node));
  return { implementation, ports: reader.ports, title: wordsOf(snake), effects: 'once' };
}

/** Makes the definition of one instruction or type of account. Throws an OperationRefused. */
function describePart(reading: ProgramReading, part: FoundPart, ids: NodeIds, prefix: string): DefinitionToStore {
  const node = part.node();
  const { implementation, ports, title, effects } = readPart(reading, part, node);
  const checked = solanaImplementationSchema.safeParse(implementation);
  if (!checked.success) throw new OperationRefused(checked.error.issues[0]?.message ?? 'the instruction is malformed');
  const { name, program: { version } } = reading;
  const id = `${prefix}${name}_${snakeCase(part.name)}${part.kind === 'account' ? '_account' : ''}`;
  return checkedDefinition({
    type: 'solana',
    data: {
      node_id: ids.take(id.slice(0, 200)),
      version: printable(version || '1', 100),
      display_name: printable(title, 200),
      description: docsOf(objectOf(node), 2_000),
      effects,
      tags: [name, 'solana'],
      implementation,
    },
    ...ports,
    'targets_form.json_schema': makeForm(ports.targets, [[
      'program',
      'The address of the program, if it is not that of the description',
    ]]),
    'targets_form.ui_schema': {},
  });
}

/**
 * Makes a node definition for each instruction and each type of account of a Solana program. The IDL is that of Anchor,
 * in its form before or since 0.30, of Shank or of Codama, as a text in JSON or parsed. A hostile IDL takes a bounded
 * time.
 */
export async function describeIdl(idl: unknown, { prefix = '', only }: DescribeOptions = {}): Promise<Described> {
  const described: Described = { definitions: [], refused: [] };
  const refuse = (place: string, error: unknown): void => {
    const isTooDeep = error instanceof RangeError;
    if (!isTooDeep && !(error instanceof OperationRefused) && !(error instanceof TypeRefused)) throw error;
    described.refused.push({ place, reason: isTooDeep ? 'it is nested too deeply' : printable(error.message, 500) });
  };
  try {
    const program = await readProgram(idl);
    const reading: ProgramReading = {
      program,
      known: new KnownTypes(),
      name: snakeCase(program.name),
      errors: readErrors(program.errors),
    };
    const ids = new NodeIds();
    const wanted = new WantedOperations(only);
    for (const part of partsOf(reading)) {
      if (!wanted.has(part.name, part.place)) continue;
      try {
        described.definitions.push(describePart(reading, part, ids, prefix));
      } catch (error) {
        refuse(part.place, error);
      }
    }
    described.refused.push(...wanted.refusals());
  } catch (error) {
    refuse('', error);
  }
  return described;
}
