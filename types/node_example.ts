import { z } from 'zod';

const values = z.record(z.string(), z.json());

/**
 * The file `example.json` of a native node: the outputs for some inputs. All values are readable JSON (JSON without
 * tags).
 */
export const nodeExampleSchema = z.strictObject({
  /** One sentence that explains the example. */
  says: z.string().min(1),
  /** The members of the form data that do not belong to an input. */
  form: values.optional(),
  inputs: values,
  outputs: values,
});

export type NodeExample = z.infer<typeof nodeExampleSchema>;
