import { SimpleGrid, Stack, Text, UnstyledButton } from '@mantine/core';
import { needsOf } from './needs.ts';
import { type FlowTemplate, TEMPLATES } from './template_files.ts';
import { TemplatePicture } from './template_picture.tsx';

export interface TemplateGalleryProps {
  choose: (template: FlowTemplate) => void;
  disabled: boolean;
}

function TemplateCard({ template, choose, disabled }: TemplateGalleryProps & { template: FlowTemplate }) {
  const needs = needsOf(template.nodes);
  return (
    <UnstyledButton className='template-card' disabled={disabled} onClick={() => choose(template)}>
      <Stack gap={6}>
        <TemplatePicture template={template} />
        <Text fw={600}>{template.name}</Text>
        <Text size='sm'>{template.description}</Text>
        {needs.length > 0 && <Text size='sm' c='dimmed'>Needs {needs.join(', ')}.</Text>}
      </Stack>
    </UnstyledButton>
  );
}

/** The templates. Each has a picture and the list of its needs. */
export default function TemplateGallery({ choose, disabled }: TemplateGalleryProps) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing='md'>
      {TEMPLATES.map((template) => (
        <TemplateCard key={template.name} template={template} choose={choose} disabled={disabled} />
      ))}
    </SimpleGrid>
  );
}
