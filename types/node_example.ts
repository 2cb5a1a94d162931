import { z } from 'zod';

const values = z.record(z.string(), z.json());

/** `example.json` of a native node: what the node does with some values, which are readable JSON. */
export const nodeExampleSchema = z.strictObject({
  /** One sentence that explains the example. */
  says: z.string().min(1),
  /** Members of the form data that are no inputs. */
  form: values.optional(),
  inputs: values,
  outputs: values,
});

export type NodeExample = z.infer<typeof nodeExampleSchema>;
