import * as z from 'zod';

/** A name of a program's IDL, in snake case. */
export const idlNameSchema = z.string().max(200).regex(/^[A-Za-z]\w*$/, 'must be letters, digits and _');

/** The most bytes of an account. Source: Agave, `MAX_PERMITTED_DATA_LENGTH`. */
export const MAX_ACCOUNT_BYTES = 10 * 2 ** 20;

export const INTEGER_FORMATS = ['u8', 'u16', 'u32', 'u64', 'u128', 'i8', 'i16', 'i32', 'i64', 'i128'] as const;

const lengthSchema = z.int().min(0).max(MAX_ACCOUNT_BYTES);
const numberSchema = z.strictObject({
  kind: z.literal('numberTypeNode'),
  format: z.enum([...INTEGER_FORMATS, 'f32', 'f64', 'shortU16']),
  endian: z.literal('le'),
});
/** The length before a list or a text. */
const prefixSchema = z.strictObject({
  kind: z.literal('numberTypeNode'),
  format: z.enum(['u8', 'u16', 'u32', 'u64', 'shortU16']),
  endian: z.literal('le'),
});
const countSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('fixedCountNode'), value: lengthSchema }),
  z.strictObject({ kind: z.literal('prefixedCountNode'), prefix: prefixSchema }),
  z.strictObject({ kind: z.literal('remainderCountNode') }),
]);
/** Bytes that a value has before or after it, in base 16. */
const constantSchema = z.strictObject({
  kind: z.literal('constantValueNode'),
  type: z.strictObject({ kind: z.literal('bytesTypeNode') }),
  value: z.strictObject({
    kind: z.literal('bytesValueNode'),
    encoding: z.literal('base16'),
    data: z.string().max(2_464).regex(/^([0-9a-f]{2})*$/, 'must be bytes in base 16'),
  }),
});

export type ConstantNode = z.infer<typeof constantSchema>;
type NumberNode = z.infer<typeof numberSchema>;
type PrefixNode = z.infer<typeof prefixSchema>;
export type CountNode = z.infer<typeof countSchema>;

export interface StructNode {
  kind: 'structTypeNode';
  fields: { kind: 'structFieldTypeNode'; name: string; type: TypeNode }[];
}

interface TupleNode {
  kind: 'tupleTypeNode';
  items: TypeNode[];
}

export type VariantNode =
  | { kind: 'enumEmptyVariantTypeNode'; name: string }
  | { kind: 'enumStructVariantTypeNode'; name: string; struct: StructNode }
  | { kind: 'enumTupleVariantTypeNode'; name: string; tuple: TupleNode };

export interface EnumNode {
  kind: 'enumTypeNode';
  variants: VariantNode[];
  size: PrefixNode;
}

/** A type of the Codama standard, with all its lists. Only the kinds that the adapter supports. */
export type TypeNode =
  | NumberNode
  | StructNode
  | TupleNode
  | EnumNode
  | { kind: 'booleanTypeNode'; size: PrefixNode }
  | { kind: 'publicKeyTypeNode' }
  | { kind: 'bytesTypeNode' }
  | { kind: 'stringTypeNode'; encoding: 'utf8' | 'base16' | 'base58' | 'base64' }
  | { kind: 'fixedSizeTypeNode'; size: number; type: TypeNode }
  | { kind: 'sizePrefixTypeNode'; prefix: PrefixNode; type: TypeNode }
  | { kind: 'arrayTypeNode'; item: TypeNode; count: CountNode }
  | { kind: 'mapTypeNode'; key: TypeNode; value: TypeNode; count: CountNode }
  | { kind: 'optionTypeNode'; item: TypeNode; prefix: PrefixNode; fixed: boolean }
  | { kind: 'zeroableOptionTypeNode'; item: TypeNode; zeroValue?: ConstantNode | undefined }
  | { kind: 'remainderOptionTypeNode'; item: TypeNode }
  | { kind: 'hiddenPrefixTypeNode'; prefix: ConstantNode[]; type: TypeNode }
  | { kind: 'hiddenSuffixTypeNode'; suffix: ConstantNode[]; type: TypeNode }
  | { kind: 'definedTypeLinkNode'; name: string };

// The type is recursive, so the compiler can't infer it.
const typeSchema: z.ZodType<TypeNode> = z.lazy(() => anyTypeSchema);

const structSchema = z.strictObject({
  kind: z.literal('structTypeNode'),
  fields: z.array(z.strictObject({ kind: z.literal('structFieldTypeNode'), name: idlNameSchema, type: typeSchema })),
});
const tupleSchema = z.strictObject({ kind: z.literal('tupleTypeNode'), items: z.array(typeSchema) });
const anyTypeSchema = z.discriminatedUnion('kind', [
  numberSchema,
  structSchema,
  tupleSchema,
  z.strictObject({
    kind: z.literal('enumTypeNode'),
    variants: z.array(z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('enumEmptyVariantTypeNode'), name: idlNameSchema }),
      z.strictObject({ kind: z.literal('enumStructVariantTypeNode'), name: idlNameSchema, struct: structSchema }),
      z.strictObject({ kind: z.literal('enumTupleVariantTypeNode'), name: idlNameSchema, tuple: tupleSchema }),
    ])),
    size: prefixSchema,
  }),
  z.strictObject({ kind: z.literal('booleanTypeNode'), size: prefixSchema }),
  z.strictObject({ kind: z.literal('publicKeyTypeNode') }),
  z.strictObject({ kind: z.literal('bytesTypeNode') }),
  z.strictObject({ kind: z.literal('stringTypeNode'), encoding: z.enum(['utf8', 'base16', 'base58', 'base64']) }),
  z.strictObject({ kind: z.literal('fixedSizeTypeNode'), size: lengthSchema, type: typeSchema }),
  z.strictObject({ kind: z.literal('sizePrefixTypeNode'), prefix: prefixSchema, type: typeSchema }),
  z.strictObject({ kind: z.literal('arrayTypeNode'), item: typeSchema, count: countSchema }),
  z.strictObject({ kind: z.literal('mapTypeNode'), key: typeSchema, value: typeSchema, count: countSchema }),
  z.strictObject({
    kind: z.literal('optionTypeNode'),
    item: typeSchema,
    prefix: prefixSchema,
    fixed: z.boolean(),
  }),
  z.strictObject({
    kind: z.literal('zeroableOptionTypeNode'),
    item: typeSchema,
    zeroValue: constantSchema.optional(),
  }),
  z.strictObject({ kind: z.literal('remainderOptionTypeNode'), item: typeSchema }),
  z.strictObject({ kind: z.literal('hiddenPrefixTypeNode'), prefix: z.array(constantSchema), type: typeSchema }),
  z.strictObject({ kind: z.literal('hiddenSuffixTypeNode'), suffix: z.array(constantSchema), type: typeSchema }),
  z.strictObject({ kind: z.literal('definedTypeLinkNode'), name: idlNameSchema }),
]);

export { structSchema, typeSchema };
