/** The entries that the filters let through, as a file. */
import { useMutation } from '@tanstack/react-query';
import { Button } from '../../design/button.js';
import { Fault } from '../../vault/fault.js';
import { useSession } from '../../session/session-store.js';
import { VaultError } from '../../vault/vault-queries.js';

interface ExportButtonProps {
  readonly query: Readonly<Record<string, string>>;
  readonly format: 'jsonl' | 'csv';
}

const LABELS = { jsonl: 'Export JSON lines', csv: 'Export CSV' } as const;
const TYPES = { jsonl: 'application/jsonl', csv: 'text/csv' } as const;

export function ExportButton({ query, format }: ExportButtonProps) {
  const { calls } = useSession();
  const exporting = useMutation({
    mutationFn: async () => {
      const answer = await calls.call('export-audit-logs', { query: { ...query, format } });
      if (!answer.ok) throw new VaultError(answer.error);
      save(answer.value, format);
    },
  });
  return (
    <div>
      <Button
        disabledBecause={exporting.isPending ? 'Reading …' : undefined}
        onPress={() => exporting.mutate()}
      >
        {LABELS[format]}
      </Button>
      <Fault error={exporting.error} />
    </div>
  );
}

/** It goes through this page's memory; what is too long for that is exported by `countersign audit export`. */
function save(text: string, format: ExportButtonProps['format']): void {
  const url = URL.createObjectURL(new Blob([text], { type: TYPES[format] }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `countersign-audit.${format}`;
  link.click();
  URL.revokeObjectURL(url);
}
