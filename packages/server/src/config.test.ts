import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

test('[SE19] an empty environment gives a loopback server with its home folder in the user’s', () => {
  expect(readConfig({})).toEqual(
    expect.objectContaining({
      home: join(homedir(), '.clawboo'),
      host: '127.0.0.1',
      port: 18790,
      portIsDefault: true,
      publicUrl: null,
      databaseUrl: null,
      masterKey: null,
      logLevel: 'info',
    }),
  )
})

test('[SE19] ignores the host variable that shells set', () => {
  expect(readConfig({ HOSTNAME: '0.0.0.0', HOST: '0.0.0.0' }).host).toBe('127.0.0.1')
})

test('[SE18] refuses a host that others can reach unless the https address in front of it is set', () => {
  for (const host of ['0.0.0.0', '::', '192.168.1.2', 'example.org', '128.0.0.1', '127.0.0.1.example.org']) {
    expect(() => readConfig({ CLAWBOO_HOST: host })).toThrow(/CLAWBOO_PUBLIC_URL/)
    expect(readConfig({ CLAWBOO_HOST: host, CLAWBOO_PUBLIC_URL: 'https://boos.example.org' }).host).toBe(host)
  }
  for (const host of ['127.0.0.1', '127.8.9.1', '::1', 'localhost'])
    expect(readConfig({ CLAWBOO_HOST: host }).host).toBe(host)
})

test('[SE19] refuses a bad value and names its variable', () => {
  const bad = {
    CLAWBOO_PORT: ['http', '-1', '65536', '1.5'],
    CLAWBOO_PUBLIC_URL: [
      'http://boos.example.org',
      'boos.example.org',
      'https://boos.example.org/path',
      'https://user@boos.example.org',
    ],
    CLAWBOO_DATABASE_URL: ['mysql://x', 'file.sqlite'],
    CLAWBOO_LOG: ['loud'],
  }
  for (const [variable, values] of Object.entries(bad)) {
    for (const value of values)
      expect(() => readConfig({ [variable]: value })).toThrow(
        expect.objectContaining({ code: 'config_invalid', message: expect.stringContaining(variable) }),
      )
  }
})
