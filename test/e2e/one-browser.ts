import { type Browser, chromium } from 'playwright-core'

/** Chromium uses only the last list, so this one includes Playwright's. The first three switch off processes that no test needs. */
const WITHOUT = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'SpareRendererForSitePerProcess'],
  ...['AimEnabled', 'AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades'],
  ...['HttpsFirstBalancedModeAutoEnable', 'MediaRouter', 'NetworkTimeServiceQuerying', 'OptimizationHints'],
  ...['PaintHolding', 'PreconnectToSearch', 'ThirdPartyStoragePartitioning'],
]
const ARGS = [
  `--disable-features=${WITHOUT.join(',')}`,
  // Tests use one origin at a time, so they need no site isolation.
  '--disable-site-isolation-trials',
  '--renderer-process-limit=1',
  '--in-process-gpu',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-extensions',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

let launched: Promise<Browser> | null = null

/** One browser for all test files of a worker. It ends with the worker. */
export async function oneBrowser(): Promise<Browser> {
  if (launched && !(await launched).isConnected()) launched = null
  launched ??= chromium.launch({ executablePath: process.env.CLAWBOO_CHROMIUM ?? '/usr/bin/chromium', args: ARGS })
  return launched
}
