import { Box, Group, Stack, Text } from '@mantine/core';
import { encode } from 'uqr';
import { useApi } from '../../shared/api.tsx';
import { Section } from '../../shared/page/section.tsx';
import { Address } from '../../shared/address.tsx';
import type { DeploymentDetails } from '../deployment.ts';

const QR_BORDER = 4;

/** A QR code. Even in dark mode it is black on white, because cameras may not read light codes on dark backgrounds. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: QR_BORDER });
  const path = data.flatMap((row, y) => row.flatMap((isBlack, x) => isBlack ? [`M${x} ${y}h1v1h-1z`] : [])).join('');
  return (
    <svg
      width={200}
      height={200}
      viewBox={`0 0 ${size} ${size}`}
      role='img'
      aria-label={label}
      shapeRendering='crispEdges'
    >
      <rect width={size} height={size} fill='#fff' />
      <path d={path} fill='#000' />
    </svg>
  );
}

/**
 * The link with which wallets open the deployment. If the deployment has no link, shows what the deployment needs to
 * get a link.
 */
export function ActionLink({ deployment }: { deployment: DeploymentDetails }) {
  const { config } = useApi();
  const action = `${config.url}/functions/v1/action/${deployment.id}`;
  const isAction = deployment.start_permission === 'Anonymous' && deployment.output_instructions;
  return (
    <Section title='Where wallets open it'>
      {isAction
        ? (
          <Group align='flex-start'>
            <Box>
              <QrCode text={`solana-action:${action}`} label='QR code of the action link' />
            </Box>
            <Stack gap={4} miw={0} flex='1 1 16rem'>
              <Address label='Action link' address={`solana-action:${action}`} />
              <Text size='sm' c='dimmed'>
                Any Solana wallet can open this link, show the description, and sign the transaction.
              </Text>
            </Stack>
          </Group>
        )
        : (
          <Text size='sm' c='dimmed'>
            Wallets can’t open this deployment yet. Anybody must be allowed to start it, and it must return its
            transaction instead of sending it.
          </Text>
        )}
    </Section>
  );
}
