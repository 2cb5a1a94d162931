import { Alert, Anchor, Button, Code, CopyButton, Group, Stack, Text, Textarea } from '@mantine/core';
import { useSessionStorage } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { ErrorAlert } from '../shared/errors/error_alert.tsx';
import { explorerLink } from '../shared/explorer_link.ts';
import { Section } from '../shared/page/section.tsx';
import {
  canSend,
  type SendingWallet,
  sendWith,
  type SigningWallet,
  signToSend,
  useBrowserWallets,
} from '../shared/wallet/browser_wallets.ts';
import { encodeTransaction } from '../shared/wallet/wallet_transaction.ts';

/** The result: the wallet has sent the transaction, or only signed it. */
type Done = { signature: string } | { signed: string };

const Sent = ({ signature, cluster }: { signature: string; cluster: string }) => (
  <Alert color='teal' title='The transaction was sent' role='status'>
    <Text size='sm' component='div' className='console-text'>
      Its signature is{' '}
      <Anchor href={explorerLink(signature, cluster)} target='_blank' rel='noreferrer' c='inherit' underline='always'>
        <Code>{signature}</Code>
      </Anchor>
      . The explorer shows whether the network has accepted it.
    </Text>
  </Alert>
);

const SignedOnly = ({ signed }: { signed: string }) => (
  <Alert color='yellow' title='The transaction is signed, but not sent' role='status'>
    <Stack gap='xs'>
      <Text size='sm'>
        This wallet can’t send transactions, and this page calls only its own project. Send the text within a minute, by
        the method sendTransaction of a Solana node, with the encoding base64 and the preflightCommitment processed.
      </Text>
      <Textarea label='Signed transaction' value={signed} readOnly rows={3} />
      <Group>
        <CopyButton value={signed}>
          {({ copied, copy }) => <Button variant='default' onClick={copy}>{copied ? 'Copied' : 'Copy'}</Button>}
        </CopyButton>
      </Group>
    </Stack>
  </Alert>
);

interface SendButtonsProps {
  wire: Uint8Array;
  cluster: string;
  onDone: (done: Done) => void;
}

function SendButtons({ wire, cluster, onDone }: SendButtonsProps) {
  const wallets = useBrowserWallets();
  const send = useMutation({
    mutationFn: async (wallet: SendingWallet | SigningWallet): Promise<Done> =>
      canSend(wallet)
        ? { signature: await sendWith(wallet, wire, cluster) }
        : { signed: encodeTransaction(await signToSend(wallet, wire, cluster)) },
    onSuccess: onDone,
  });
  return (
    <Alert color='yellow' title='The transaction waits for you' role='group'>
      <Stack gap='sm'>
        <Text size='sm'>
          Nothing is paid yet. Sign and send the transaction on {cluster}{' '}
          within a minute; after that it is too old, and you start again.
        </Text>
        <ErrorAlert error={send.error} />
        {wallets.length === 0 && (
          <Text size='sm'>This browser has no wallet for transactions of Solana. Install one, or unlock it.</Text>
        )}
        <Group>
          {wallets.map((wallet, index) => (
            <Button
              key={`${wallet.name} ${index}`}
              loading={send.isPending}
              onClick={() => send.mutate(wallet)}
            >
              {canSend(wallet) ? 'Sign and send with' : 'Sign with'} {wallet.name}
            </Button>
          ))}
        </Group>
      </Stack>
    </Alert>
  );
}

interface SendTransactionProps {
  runId: string;
  /** The transaction in the output of the run. */
  wire: Uint8Array;
  cluster: string;
}

/**
 * A transaction in the output of the run. A wallet of the browser signs and sends it. Afterwards, the page never offers
 * the transaction again, even after a reload: a wallet could give it another blockhash, and the user would pay twice.
 */
export function SendTransaction({ runId, wire, cluster }: SendTransactionProps) {
  const [done, setDone] = useSessionStorage<Done | null>({
    key: `flow-sent-${runId}`,
    defaultValue: null,
    getInitialValueInEffect: false,
  });
  return (
    <Section title='Your transaction'>
      {done === null
        ? <SendButtons wire={wire} cluster={cluster} onDone={setDone} />
        : 'signature' in done
        ? <Sent signature={done.signature} cluster={cluster} />
        : <SignedOnly signed={done.signed} />}
    </Section>
  );
}
