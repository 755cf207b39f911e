import { Button } from './button.tsx'

/** Save and Cancel under a form that changes something in place. */
export function FormActions({ saving, onCancel }: { saving: boolean; onCancel: () => void }) {
  return (
    <div className="flex gap-2">
      <Button type="submit" kind="primary" disabled={saving}>
        {saving ? 'Saving' : 'Save'}
      </Button>
      <Button onClick={onCancel}>Cancel</Button>
    </div>
  )
}
