import { Anchor, Autocomplete } from '@mantine/core';
import type { FieldProps } from '@rjsf/utils';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useApi } from '../api.tsx';

/** The most names that are offered. Others can be typed. */
const OFFERED = 200;

/**
 * A field for the name of a connection. It offers the user's connections, and accepts names that are not stored yet.
 */
export function ConnectionField({ formData, onChange, schema, name, fieldPathId, disabled }: FieldProps) {
  const { db } = useApi();
  const { data: names } = useQuery({
    queryKey: ['connections', 'names'],
    queryFn: async ({ signal }) => {
      const { data } = await db.from('connections').select('name').order('name').limit(OFFERED).abortSignal(signal)
        .throwOnError();
      return data.map((row) => row.name);
    },
  });
  const value = typeof formData === 'string' ? formData : '';
  const isUnknown = value !== '' && names !== undefined && names.length < OFFERED && !names.includes(value);
  return (
    <Autocomplete
      id={fieldPathId.$id}
      label={schema.title ?? name}
      description={schema.description}
      data={names ?? []}
      value={value}
      disabled={disabled ?? false}
      error={isUnknown && (
        <>
          You have no connection of this name:{' '}
          <Anchor component={Link} href='/connections' underline='always' inherit>Connections</Anchor>
        </>
      )}
      onChange={(text) => onChange(text === '' ? undefined : text, fieldPathId.path)}
    />
  );
}
