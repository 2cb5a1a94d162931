/** Describes tokens, such as `1,100 tokens in, 7 out`. */
export const describeTokens = ({ input, output }: { input: number; output: number }): string =>
  `${input.toLocaleString('en')} tokens in, ${output.toLocaleString('en')} out`;
