import { parseArgs } from 'node:util';
import { parsePort, readStatus } from '../../platform/local_stack/running_stacks.ts';
import { isUsageError, StackError, usageFault } from '../stack/stack_error.ts';
import { startDevServer } from './dev_server.ts';

const USAGE = "npm run console -- [--port <the stack's port>]";

try {
  const { values } = parseArgs({ options: { port: { type: 'string' } } });
  const port = parsePort(values.port);
  const status = readStatus(port);
  if (status === undefined) throw new StackError(`No stack runs on port ${port}; start one with: npm start`);
  (await startDevServer(status)).printUrls();
} catch (error) {
  if (error instanceof StackError) console.error(error.message);
  else if (isUsageError(error)) console.error(`${usageFault(error)}\n${USAGE}`);
  else throw error;
  process.exit(1);
}
