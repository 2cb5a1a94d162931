import * as z from 'zod';
import { idlNameSchema, structSchema, typeSchema } from './type_node.ts';

const portSchema = z.string().max(256);
const addressSchema = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/, 'must be a public key in base58');
/** Bytes in base64. */
const bytesSchema = z.base64();

/** An address that the adapter knows without an input. */
const knownAddressSchema = z.union([
  z.strictObject({ address: addressSchema }),
  /** The public key of another account of the instruction, by its input. */
  z.strictObject({ account: portSchema }),
  /** The value of an argument, by its input. */
  z.strictObject({ argument: portSchema }),
  z.strictObject({ program: z.literal(true) }),
]);

export type KnownAddress = z.infer<typeof knownAddressSchema>;

const seedSchema = z.union([
  z.strictObject({ bytes: bytesSchema }),
  z.strictObject({ account: portSchema }),
  z.strictObject({ argument: portSchema, type: typeSchema }),
  z.strictObject({ program: z.literal(true) }),
]);

export type Seed = z.infer<typeof seedSchema>;

const pdaSchema = z.strictObject({
  /** The program whose address it is; by default the program of the instruction. */
  of: knownAddressSchema.optional(),
  seeds: z.array(seedSchema).max(16),
});

export type ProgramDerived = z.infer<typeof pdaSchema>;

const accountSchema = z.strictObject({
  /** The input that has the account, and the output that gets its address. */
  port: portSchema,
  /** `either`: the account signs if the input has a wallet, and not if it has a public key. */
  signer: z.union([z.boolean(), z.literal('either')]),
  writable: z.boolean(),
  /** Used if the input has no value. */
  default: z.union([knownAddressSchema, z.strictObject({ fee_payer: z.literal(true) }), pdaSchema]).optional(),
  /** If the account is optional: without it, the instruction has the program's address in its place, or nothing. */
  absent: z.enum(['program', 'left_out']).optional(),
});

export type InstructionAccount = z.infer<typeof accountSchema>;

const argumentSchema = z.union([
  /** Bytes that are always the same, such as the discriminator. */
  z.strictObject({ bytes: bytesSchema }),
  z.strictObject({
    port: portSchema,
    type: typeSchema,
    /** The bytes of the argument if the input has no value. */
    default: bytesSchema.optional(),
  }),
]);

export type InstructionArgument = z.infer<typeof argumentSchema>;

const programSchema = z.strictObject({
  name: z.string(),
  /** Undefined if the IDL does not say it. Then the form data name the program. */
  address: addressSchema.optional(),
});

/** The types to which links of other types lead. */
const typesSchema = z.array(z.strictObject({ name: idlNameSchema, type: typeSchema }));

const instructionSchema = z.strictObject({
  kind: z.literal('instruction'),
  name: z.string(),
  program: programSchema,
  accounts: z.array(accountSchema),
  /** In the order of the instruction's data. */
  arguments: z.array(argumentSchema),
  types: typesSchema,
  errors: z.array(z.strictObject({ code: z.int(), name: z.string(), message: z.string() })),
});

const accountTypeSchema = z.strictObject({
  kind: z.literal('account'),
  name: z.string(),
  program: programSchema,
  data: structSchema,
  /** The fields that have outputs of their own. */
  outputs: z.array(z.strictObject({ port: portSchema, name: idlNameSchema })),
  /** Bytes that each account of the type has at a place. */
  marks: z.array(z.strictObject({ offset: z.int().min(0), bytes: bytesSchema })),
  /** The number of bytes that each account of the type has. */
  size: z.int().min(0).optional(),
  types: typesSchema,
});

/**
 * `data.implementation` of a definition of type `solana`: one instruction or one type of account of a program, as the
 * adapter executes it. `describeIdl` of the client makes it from the program's IDL.
 */
export const solanaImplementationSchema = z.discriminatedUnion('kind', [instructionSchema, accountTypeSchema]);

export type SolanaImplementation = z.infer<typeof solanaImplementationSchema>;
export type SolanaInstruction = z.infer<typeof instructionSchema>;
export type SolanaAccount = z.infer<typeof accountTypeSchema>;
export type DefinedTypes = SolanaInstruction['types'];
