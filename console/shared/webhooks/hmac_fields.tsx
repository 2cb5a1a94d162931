import { Select, SimpleGrid, TextInput } from '@mantine/core';
import type { WebhookHmac } from 'flow-deployments-client';

/** The signature settings in the editor, with empty texts for missing values. */
export type HmacDraft = Required<{ [Name in keyof WebhookHmac]: NonNullable<WebhookHmac[Name]> }>;

/** The settings that the form has at first, which fit most senders with a signature header of their own. */
const USUAL: HmacDraft = { header: '', algorithm: 'sha256', encoding: 'hex', prefix: '', id_header: '' };

/** Converts the stored settings for the editor. */
export const draftOfHmac = (stored: unknown): HmacDraft => {
  // SAFETY: the column is null, or an object that the database has checked. In this object, `id_header` may be null.
  const hmac = stored as HmacDraft | null;
  return { ...USUAL, ...hmac, id_header: hmac?.id_header ?? '' };
};

const ALGORITHMS = ['sha256', 'sha1'] as const;
const ENCODINGS = ['hex', 'base64'] as const;

interface HmacFieldsProps {
  hmac: HmacDraft;
  change: (hmac: HmacDraft) => void;
}

/** The fields for the header that contains the HMAC of the body: its name and its format. */
export function HmacFields({ hmac, change }: HmacFieldsProps) {
  return (
    <>
      <TextInput
        label='Header of the signature'
        description='Such as X-Shopify-Hmac-Sha256.'
        required
        maxLength={64}
        value={hmac.header}
        onChange={(event) => change({ ...hmac, header: event.currentTarget.value })}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Select
          label='Algorithm'
          data={ALGORITHMS}
          allowDeselect={false}
          value={hmac.algorithm}
          onChange={(algorithm) => algorithm !== null && change({ ...hmac, algorithm })}
        />
        <Select
          label='Written in'
          data={ENCODINGS}
          allowDeselect={false}
          value={hmac.encoding}
          onChange={(encoding) => encoding !== null && change({ ...hmac, encoding })}
        />
        <TextInput
          label='Text before it'
          description='Such as sha256=; empty for none.'
          maxLength={64}
          value={hmac.prefix}
          onChange={(event) => change({ ...hmac, prefix: event.currentTarget.value })}
        />
        <TextInput
          label='Header of the id'
          description='It identifies repeated requests; empty for none.'
          maxLength={64}
          value={hmac.id_header}
          onChange={(event) => change({ ...hmac, id_header: event.currentTarget.value })}
        />
      </SimpleGrid>
    </>
  );
}
