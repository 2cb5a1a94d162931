import type { SolanaAccount } from '../../../types/described/solana/implementation.ts';
import type { StructNode } from '../../../types/described/solana/type_node.ts';
import { type DescribedJson, listOf, memberOf, objectOf, OperationRefused } from '../documents.ts';
import { Names } from '../names.ts';
import type { DescribedPorts } from '../ports.ts';
import { nameOf } from './addresses.ts';
import { constantBytes, toBase64 } from './constants.ts';
import { kindOf, programOf, type ProgramReading } from './reading.ts';
import { portOf, TypeReader } from './types.ts';

type Marks = Pick<SolanaAccount, 'marks' | 'size'>;

const ADDRESS = {
  name: 'address',
  type_bounds: ['pubkey'],
  required: true,
  passthrough: false,
  tooltip: 'The account to read',
};

const numberOf = (json: unknown): number => Number.isSafeInteger(json) && (json as number) >= 0 ? json as number : 0;

/** Returns the bytes by which accounts of the type are known. */
function marksOf(node: DescribedJson, fields: readonly DescribedJson[], data: StructNode, types: TypeReader): Marks {
  const found: Marks = { marks: [] };
  for (const discriminator of listOf(node.discriminators)) {
    const kind = kindOf(discriminator);
    if (kind === 'sizeDiscriminatorNode') found.size = numberOf(memberOf(discriminator, 'size'));
    const offset = numberOf(memberOf(discriminator, 'offset'));
    let bytes: Uint8Array | undefined;
    if (kind === 'constantDiscriminatorNode') {
      const constant = memberOf(discriminator, 'constant');
      bytes = constantBytes(types.read(memberOf(constant, 'type')), memberOf(constant, 'value'));
    }
    if (kind === 'fieldDiscriminatorNode') {
      const index = fields.findIndex((field) => nameOf(field) === nameOf(discriminator));
      const type = data.fields[index]?.type;
      bytes = type && constantBytes(type, fields[index]?.defaultValue);
    }
    if (bytes !== undefined) found.marks.push({ offset, bytes: toBase64(bytes) });
  }
  return found;
}

/** Reads a type of accounts of a program: its ports, and how its bytes are read. Throws an OperationRefused. */
export function readAccount(
  reading: ProgramReading,
  name: string,
  node: DescribedJson,
): { implementation: SolanaAccount; ports: DescribedPorts } {
  const types = new TypeReader(reading.program, reading.known);
  const data = types.resolve(types.read(node.data));
  if (data.kind !== 'structTypeNode') throw new OperationRefused('the account is no structure');
  const fields = listOf(memberOf(node.data, 'fields')).map((field) => objectOf(field));
  const names = new Names(['data', 'lamports', 'error']);
  const hidden = new Set(
    fields.filter(({ defaultValueStrategy }) => defaultValueStrategy === 'omitted').map((field) => nameOf(field)),
  );
  const ports: DescribedPorts = {
    targets: [ADDRESS],
    sources: [{ name: 'data', type: 'object' }, { name: 'lamports', type: 'u64' }],
  };
  const outputs = data.fields.filter((field) => !hidden.has(field.name)).map((field) => {
    const port = names.take(field.name, 'field');
    ports.sources.push({ name: port, type: portOf(types, field.type).port });
    return { port, name: field.name };
  });
  const implementation: SolanaAccount = {
    kind: 'account',
    name,
    program: programOf(reading),
    data,
    outputs,
    ...marksOf(node, fields, data, types),
    types: types.usedTypes(),
  };
  return { implementation, ports };
}
