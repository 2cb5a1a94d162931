import { ActionIcon, Anchor, Box, Code, CopyButton, Group, Stack, Text } from '@mantine/core';
import { encode } from 'uqr';
import { useApi } from '../shared/api.tsx';
import { Icon } from '../shared/icon.tsx';
import { Section } from '../shared/section.tsx';
import type { DeploymentDetails } from './deployment.ts';

const QR_BORDER = 4;

/** A QR code. It is black on white in dark mode, too, because cameras need that. */
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

/** An address with a button to copy it. */
function Address({ label, address, isPage = false }: { label: string; address: string; isPage?: boolean }) {
  return (
    <Stack gap={2}>
      <Text size='sm' fw={600}>{label}</Text>
      <Group gap='xs' wrap='nowrap'>
        {isPage
          ? <Anchor href={address} size='sm' className='console-text'>{address}</Anchor>
          : <Code className='console-text'>{address}</Code>}
        <CopyButton value={address}>
          {({ copied, copy }) => (
            <ActionIcon variant='default' aria-label={`Copy: ${label}`} onClick={copy}>
              <Icon name={copied ? 'check' : 'copy'} size={16} />
            </ActionIcon>
          )}
        </CopyButton>
      </Group>
    </Stack>
  );
}

const WHO: Record<string, string> = {
  Owner: 'Only you may start it there: change “Who may start it” before you hand it on.',
  Authenticated: 'Every user who has signed up may start it there.',
  Anonymous: 'Anybody may start it there, without an account.',
};

/** The addresses for others: the start page and, if wallets can open it, the action link. */
export function Addresses({ deployment }: { deployment: DeploymentDetails }) {
  const { config } = useApi();
  const startPage = new URL(`${import.meta.env.BASE_URL}start/${deployment.id}`, window.location.href).href;
  const action = `${config.url}/functions/v1/action/${deployment.id}`;
  const isAction = deployment.start_permission === 'Anonymous' && deployment.output_instructions;
  return (
    <Section title='Where others start it'>
      <Stack gap='md'>
        <Stack gap={4}>
          <Address label='Start page' address={startPage} isPage />
          <Text size='sm' c='dimmed'>{WHO[deployment.start_permission]}</Text>
        </Stack>
        {isAction
          ? (
            <Group align='flex-start'>
              <Box>
                <QrCode text={`solana-action:${action}`} label='QR code of the action link' />
              </Box>
              <Stack gap={4} miw={0} flex='1 1 16rem'>
                <Address label='Action link' address={`solana-action:${action}`} />
                <Text size='sm' c='dimmed'>
                  Any Solana wallet opens it, shows what it is about, and signs its transaction.
                </Text>
              </Stack>
            </Group>
          )
          : (
            <Text size='sm' c='dimmed'>
              Wallets can't open it: for that, anybody must be allowed to start it, and it must return its transaction
              instead of sending it.
            </Text>
          )}
      </Stack>
    </Section>
  );
}
