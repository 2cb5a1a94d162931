import {
  Autocomplete,
  Button,
  FileInput,
  Group,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { definitionLimits } from '../../../types/limits/definitions.ts';
import { type Api, useApi } from '../../shared/api.tsx';
import { DOCUMENT_KINDS, type DocumentKind } from './kinds.ts';

const PLACES = [{ label: 'Address', value: 'address' }, { label: 'File', value: 'file' }, {
  label: 'Text',
  value: 'text',
}];
/** The most names of connections that are offered. Others can be typed. */
const OFFERED = 200;

/** Reads the text of a document. */
export type ReadText = (api: Api, signal: AbortSignal) => Promise<string>;

async function readFile(file: File): Promise<string> {
  if (file.size > definitionLimits.document_bytes.value) throw new Error('The file has more than 16 MiB.');
  return await file.text();
}

function ConnectionInput({ value, onChange }: { value: string; onChange: (name: string) => void }) {
  const { db } = useApi();
  const { data: names = [] } = useQuery({
    queryKey: ['connections', 'names'],
    queryFn: async ({ signal }) => {
      const { data } = await db.from('connections').select('name').order('name').limit(OFFERED).abortSignal(signal)
        .throwOnError();
      return data.map((row) => row.name);
    },
  });
  return (
    <Autocomplete
      label='Connection'
      description='If the server wants a secret for the document'
      data={names}
      value={value}
      onChange={onChange}
    />
  );
}

interface SourceFieldsProps {
  kind: DocumentKind;
  isReading: boolean;
  onRead: (read: ReadText) => void;
}

/** The fields in which the user names a document: an address, a file or the text itself. */
export function SourceFields({ kind, isReading, onRead }: SourceFieldsProps) {
  const [place, setPlace] = useState('address');
  const [address, setAddress] = useState('');
  const [connection, setConnection] = useState('');
  const [file, setFile] = useState<File | null>(null);
  const [text, setText] = useState('');
  const texts = DOCUMENT_KINDS[kind];
  const isFilled = place === 'address' ? address !== '' : place === 'file' ? file !== null : text !== '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (place === 'file' && file !== null) onRead(async () => await readFile(file));
    else if (place === 'text') onRead(async () => text);
    else {
      onRead(async ({ flows }, signal) =>
        await flows.readDocument(address.trim(), { connection: connection === '' ? undefined : connection, signal })
      );
    }
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <SegmentedControl aria-label='Where the document is' data={PLACES} value={place} onChange={setPlace} />
        {place === 'address' && (
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput
              type='url'
              label='Address'
              description={texts.address}
              placeholder={texts.placeholder}
              required
              value={address}
              onChange={(event) => setAddress(event.currentTarget.value)}
            />
            <ConnectionInput value={connection} onChange={setConnection} />
          </SimpleGrid>
        )}
        {place === 'file' && (
          <FileInput
            label='File'
            description={texts.hint}
            placeholder='Choose a file'
            accept={texts.accept}
            required
            value={file}
            onChange={setFile}
          />
        )}
        {place === 'text' && (
          <Textarea
            label='Text'
            description={texts.hint}
            required
            rows={12}
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        )}
        <Group>
          <Button type='submit' loading={isReading} disabled={!isFilled}>Show the nodes</Button>
        </Group>
      </Stack>
    </form>
  );
}
