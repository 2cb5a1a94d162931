import { List, Stack, Text } from '@mantine/core';
import type { Fees as FeesOfRuns } from 'flow-deployments-client';
import { ShortKey } from '../shared/short_key.tsx';

const LAMPORTS_PER_SOL = 1_000_000_000n;

/** Formats lamports in SOL, with all digits. */
function inSol(lamports: bigint): string {
  const fraction = String(lamports % LAMPORTS_PER_SOL).padStart(9, '0').replace(/0+$/, '');
  return `${lamports / LAMPORTS_PER_SOL}${fraction === '' ? '' : `.${fraction}`} SOL`;
}

/** The fees of a start, in addition to the payments of the flow itself. */
export function Fees({ fees }: { fees: FeesOfRuns }) {
  if (fees.length === 0) return null;
  return (
    <Stack gap={4} component='section' aria-label='Fees'>
      <Text size='sm' fw={600}>Fees</Text>
      <List size='sm'>
        {fees.map(([address, lamports], index) => (
          <List.Item key={index} className='console-text'>
            {inSol(lamports)} to <ShortKey value={address} />
          </List.Item>
        ))}
      </List>
    </Stack>
  );
}
