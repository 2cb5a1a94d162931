import { useMutation } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useApi } from '../../shared/api.tsx';
import { DialogButton } from '../../shared/dialogs/dialog_button.tsx';
import { ErrorAlert } from '../../shared/errors/error_alert.tsx';
import type { PlainObject } from '../../shared/graph/drawn_node.ts';
import { Loading } from '../../shared/page/loading.tsx';
import type { FlowTemplate } from './template_files.ts';

// The templates and their pictures are loaded when the dialog is first opened.
const TemplateGallery = lazy(() => import('./template_gallery.tsx'));

/** A new flow that was made from a template. */
interface BegunFlow {
  name: string;
  description: string;
  nodes: PlainObject[];
  edges: PlainObject[];
}

interface TemplatesButtonProps {
  label: string;
  /** Called with the flow that was made from the chosen template. */
  begin: (flow: BegunFlow) => Promise<void> | void;
  size?: 'xs' | 'sm';
}

/** A button that offers the templates, each with a picture. */
export function TemplatesButton({ label, begin, size = 'sm' }: TemplatesButtonProps) {
  const { db } = useApi();
  const choosing = useMutation({
    mutationFn: async (template: FlowTemplate) => {
      // This module is loaded when a template is chosen, because nothing else needs it.
      const { fillTemplate } = await import('./fill_template.ts');
      const { name, description } = template;
      await begin({ name, description, ...await fillTemplate(db, template) });
    },
  });
  return (
    <DialogButton
      label={label}
      title={label}
      size={size}
      dialogSize='xl'
      onOpen={choosing.reset}
    >
      {(close) => (
        <Suspense fallback={<Loading />}>
          <ErrorAlert error={choosing.error} />
          <TemplateGallery
            disabled={choosing.isPending}
            choose={(template) => choosing.mutate(template, { onSuccess: close })}
          />
        </Suspense>
      )}
    </DialogButton>
  );
}
