/** An input of a described node. */
export interface DescribedInput {
  name: string;
  type_bounds: string[];
  required: boolean;
  passthrough: boolean;
  tooltip: string;
}

/** An output of a described node. */
export interface DescribedOutput {
  name: string;
  type: string;
  optional?: true;
}

/** The inputs and outputs of a described node. */
export interface DescribedPorts {
  targets: DescribedInput[];
  sources: DescribedOutput[];
}
