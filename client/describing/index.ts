export { compareDefinitions, type DefinitionUpdate } from './differences.ts';
export { type Described, describeOpenApi, type DescribeOptions } from './open_api.ts';
