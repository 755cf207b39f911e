import './ui/page.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createQueryClient } from './api/query-client.ts'
import { followOtherTabs } from './api/session.ts'
import { loadPagesWhenIdle } from './app/lazy-page.tsx'
import { createAppRouter } from './app/router.tsx'
import { startFirstRun } from './shared/first-run-seen.ts'
import { startShortcuts } from './ui/keyboard/shortcuts.ts'
import { startTheme } from './ui/theme.ts'

startTheme()
startShortcuts()
startFirstRun()
followOtherTabs()
loadPagesWhenIdle()

const queries = createQueryClient()
const router = createAppRouter()

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
