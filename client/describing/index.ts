export { type Described, type DescribeOptions, NO_SUCH_OPERATION } from './described.ts';
export { compareDefinitions, type DefinitionUpdate } from './differences.ts';
export { describeIdl } from './idl/index.ts';
export { describeOpenApi } from './open_api.ts';
export { describeTools } from './tools.ts';
