import { projectDir } from '../stack/paths.ts';
import { StackError } from '../stack/stack_error.ts';
import { makeNode } from './make_node.ts';

try {
  console.log(makeNode(process.argv.slice(2), projectDir));
} catch (error) {
  console.error(error instanceof StackError ? error.message : error);
  process.exitCode = 1;
}
