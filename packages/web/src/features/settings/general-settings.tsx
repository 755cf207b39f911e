import { Section } from '../../ui/page-header.tsx'
import { About } from './about.tsx'
import { Access } from './access.tsx'
import { Appearance } from './appearance.tsx'
import { AuditList } from './audit-list.tsx'

export function GeneralSettings() {
  return (
    <>
      <Section title="Appearance" about="Stored in this browser.">
        <Appearance />
      </Section>
      <Section title="Access" about="Who may use this server.">
        <Access />
      </Section>
      <Section title="About" about="This server and its data.">
        <About />
      </Section>
      <Section title="Audit" about="Who changed what, newest first.">
        <AuditList />
      </Section>
    </>
  )
}
