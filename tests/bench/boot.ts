import { findFreePort } from '../../supabase/local/ports.ts';
import { type Stack, startStack } from '../../supabase/local/stack.ts';
import { type Figure, makeFigure, ROUNDS, time } from './figure.ts';

/** A first boot and a second one on the same data. */
export async function measureBoot(dir: string): Promise<{ figure: Figure; stack: Stack }> {
  const port = await findFreePort();
  const boot = () => startStack({ port, dir, watch: false });
  let stack = await boot();
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    await stack.stop();
    const baselineMs = await time(async () => stack = await boot());
    await stack.remove();
    const measuredMs = await time(async () => stack = await boot());
    rounds.push({ measuredMs, baselineMs });
  }
  return {
    figure: makeFigure('boot', 'boot on no data (initdb, migrations) against boot on kept data', rounds),
    stack,
  };
}
