import { once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { oneServer } from '../one-server.ts'
import { removeHome, startServer } from '../server-process.ts'
import { type RawAnswer, sendRaw } from './raw-request.ts'

const running = oneServer()

const ownHost = () => `127.0.0.1:${running().port}`
const request = (lines: readonly string[], body: string | Buffer = '') =>
  Buffer.concat([Buffer.from(`${[...lines, 'connection: close'].join('\r\n')}\r\n\r\n`), Buffer.from(body)])
const send = (...lines: string[]) => sendRaw(running().port, request(lines))
/** Includes everything that a real request has, so that only the named line can cause the refusal. */
const withToken = (...lines: string[]) => send(...lines, `authorization: Bearer ${running().token}`)

async function expectRefused(answer: RawAnswer, status: number, code: string): Promise<void> {
  expect({ status: answer.status, body: answer.body }).toMatchObject({
    status,
    body: expect.stringContaining(`"code":"${code}"`),
  })
  expectNoSecret(answer)
}

function expectNoSecret(answer: RawAnswer): void {
  expect(answer.head + answer.body).not.toContain(running().token)
  expect(answer.head.toLowerCase()).not.toContain('access-control')
  expect(answer.head.toLowerCase()).not.toContain('set-cookie')
}

describe('Host', () => {
  test('[SE1] refuses every spelling of a foreign host, even with a valid token', async () => {
    const port = running().port
    const foreign = [
      'evil.example',
      `evil.example:${port}`,
      `EVIL.example:${port}`,
      `evil.example.:${port}`,
      `localhost.:${port}`,
      `127.0.0.1.:${port}`,
      `localhost.evil.example:${port}`,
      `127.0.0.1.evil.example:${port}`,
      `127.0.0.1@evil.example:${port}`,
      `evil.example#127.0.0.1:${port}`,
      '127.0.0.1',
      'localhost',
      `127.0.0.1:${port + 1}`,
      `127.0.0.1:0${port}`,
      `127.0.0.1:${port}0`,
      `127.1:${port}`,
      `0.0.0.0:${port}`,
      `2130706433:${port}`,
      `0x7f000001:${port}`,
      `017700000001:${port}`,
      `0177.0.0.1:${port}`,
      `[::]:${port}`,
      `[0:0:0:0:0:0:0:1]:${port}`,
      `[::ffff:127.0.0.1]:${port}`,
      `[::1%25lo]:${port}`,
      `::1:${port}`,
      `127.0.0.1:${port},evil.example`,
      `127.0.0.1:${port} evil.example`,
      ' ',
      '',
    ]
    for (const host of foreign) {
      const answer = await withToken('GET /api/agents HTTP/1.1', `host: ${host}`)
      expect({ host, status: answer.status }).toEqual({ host, status: expect.toBeOneOf([421, 400]) })
      expectNoSecret(answer)
    }
  })

  test('[SE1] accepts our own host in upper case and on IPv6', async () => {
    for (const host of [`LOCALHOST:${running().port}`, `localhost:${running().port}`, `[::1]:${running().port}`]) {
      expect((await withToken('GET /api/agents HTTP/1.1', `host: ${host}`)).status).toBe(200)
    }
  })

  test('[SE1] refuses a request with two hosts or none', async () => {
    expect((await withToken('GET /api/agents HTTP/1.1', `host: ${ownHost()}`, 'host: evil.example')).status).toBe(421)
    expect((await withToken('GET /api/agents HTTP/1.1', 'host: evil.example', `host: ${ownHost()}`)).status).toBe(421)
    expect((await withToken('GET /api/agents HTTP/1.1')).status).toBe(400)
    expect((await withToken('GET /api/agents HTTP/1.0')).status).toBe(421)
  })

  test('[SE1] the guard runs before every route and every method', async () => {
    for (const line of [
      'GET / HTTP/1.1',
      'GET /healthz HTTP/1.1',
      'POST /api/sign-in HTTP/1.1',
      'GET /api/events HTTP/1.1',
      'OPTIONS /api/agents HTTP/1.1',
      'DELETE /x HTTP/1.1',
      'GET /assets/x.js HTTP/1.1',
      'PROPFIND / HTTP/1.1',
    ]) {
      await expectRefused(await send(line, `host: evil.example:${running().port}`), 421, 'host_refused')
    }
  })

  test('[SE4] refuses an absolute target, even our own, and an asterisk', async () => {
    for (const target of ['http://evil.example/api/agents', `http://${ownHost()}/api/agents`, '*']) {
      const method = target === '*' ? 'OPTIONS' : 'GET'
      await expectRefused(await withToken(`${method} ${target} HTTP/1.1`, `host: ${ownHost()}`), 400, 'request_invalid')
    }
  })
})

describe('Origin and fetch metadata', () => {
  test('[SE2] refuses a foreign origin, including another port and another name of this machine', async () => {
    const origins = [
      'http://evil.example',
      'null',
      `http://127.0.0.1:${running().port + 1}`,
      'http://127.0.0.1',
      `https://${ownHost()}`,
      `http://localhost:${running().port}`,
      `http://${ownHost()}.evil.example`,
      `http://${ownHost()}/`,
      '',
    ]
    for (const origin of origins) {
      await expectRefused(
        await withToken('GET /api/agents HTTP/1.1', `host: ${ownHost()}`, `origin: ${origin}`),
        403,
        'origin_refused',
      )
      await expectRefused(
        await withToken('POST /api/agents HTTP/1.1', `host: ${ownHost()}`, `origin: ${origin}`, 'content-length: 0'),
        403,
        'origin_refused',
      )
    }
    expect(
      (await withToken('GET /api/agents HTTP/1.1', `host: ${ownHost()}`, `origin: http://${ownHost()}`)).status,
    ).toBe(200)
    await expectRefused(
      await withToken(
        'GET /api/agents HTTP/1.1',
        `host: ${ownHost()}`,
        `origin: http://${ownHost()}`,
        'origin: http://evil.example',
      ),
      403,
      'origin_refused',
    )
  })

  test('[SE3] refuses a no-cors GET and POST of another site by their fetch metadata', async () => {
    for (const site of ['cross-site', 'same-site']) {
      for (const method of ['GET', 'POST']) {
        const lines = [
          `${method} /api/agents HTTP/1.1`,
          `host: ${ownHost()}`,
          `sec-fetch-site: ${site}`,
          'sec-fetch-mode: no-cors',
          'content-length: 0',
        ]
        await expectRefused(await withToken(...lines), 403, 'origin_refused')
      }
    }
  })

  test('[SE12] a preflight gets no permission', async () => {
    const answer = await send(
      'OPTIONS /api/agents HTTP/1.1',
      `host: ${ownHost()}`,
      'origin: http://evil.example',
      'access-control-request-method: POST',
    )
    await expectRefused(answer, 403, 'origin_refused')
  })

  test('[SE5] refuses an upgrade, from another site and from our own', async () => {
    const upgrade = [
      'upgrade: websocket',
      'connection: Upgrade',
      'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==',
      'sec-websocket-version: 13',
    ]
    const own = await sendRaw(
      running().port,
      `${['GET /api/events HTTP/1.1', `host: ${ownHost()}`, ...upgrade].join('\r\n')}\r\n\r\n`,
    )
    await expectRefused(own, 426, 'upgrade_refused')
    const foreign = await sendRaw(
      running().port,
      `${['GET /api/events HTTP/1.1', `host: ${ownHost()}`, 'origin: http://evil.example', ...upgrade].join('\r\n')}\r\n\r\n`,
    )
    await expectRefused(foreign, 403, 'origin_refused')
  })
})

describe('Credentials', () => {
  test('[SE6] refuses every address below /api without a credential, existing or not', async () => {
    const lines = [
      'GET /api/agents',
      'GET /api/events',
      'GET /api/openapi.json',
      'GET /api/status',
      'GET /api/nothing',
      'GET /api/agents/x/files/SOUL.md',
      'POST /api/token/rotate',
      'DELETE /api/teams/x',
      'PATCH /api/nothing',
      'GET /api//agents',
      'GET /API/agents/../agents',
    ]
    for (const line of lines) {
      const answer = await send(`${line} HTTP/1.1`, `host: ${ownHost()}`, 'content-length: 0')
      if (line.includes('/api/') && !line.includes('//')) await expectRefused(answer, 401, 'credential_missing')
      else expect(answer.body).not.toContain('"agents":')
      expectNoSecret(answer)
    }
  })

  test('[SE6] refuses a wrong, truncated, padded or repeated token, and ignores a token in the address', async () => {
    const wrong = [
      'Bearer wrong',
      `Bearer ${running().token.slice(0, -1)}`,
      `Bearer ${running().token}x`,
      `Basic ${running().token}`,
      `Bearer  ${running().token}`,
      running().token,
    ]
    for (const value of wrong) {
      const answer = await send('GET /api/agents HTTP/1.1', `host: ${ownHost()}`, `authorization: ${value}`)
      expect(answer).toMatchObject({ status: 401, body: expect.stringContaining('credential_refused') })
    }
    expect((await send(`GET /api/agents?token=${running().token} HTTP/1.1`, `host: ${ownHost()}`)).status).toBe(401)
    expect(
      (await send('GET /api/agents HTTP/1.1', `host: ${ownHost()}`, `cookie: clawboo_${running().port}=forged`)).status,
    ).toBe(401)
  })

  test('[AP7] health responds without a credential, with only version and instance', async () => {
    const body = (await (await fetch(`${running().url}/healthz`)).json()) as object
    expect(Object.keys(body).sort()).toEqual(['instance', 'ok', 'version'])
  })

  test('[SE13] serves the page without a credential, under a strict policy', async () => {
    const answer = await fetch(running().url)
    expect(answer.status).toBe(200)
    const policy = answer.headers.get('content-security-policy')!
    expect(policy).toContain("script-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(await answer.text()).not.toMatch(/<script(?![^>]*\bsrc=)|\son\w+=|https?:\/\/(?!www\.w3\.org)/)
  })

  test('[SE13] the page’s addresses reach nothing but the built page', async () => {
    for (const path of [
      '/../../package.json',
      '/%2e%2e/%2e%2e/package.json',
      '/assets/..%2f..%2fpackage.json',
      '/assets/....//package.json',
      '/.built',
      '/%00index.html',
      '/assets/x.js',
    ]) {
      const answer = await send(`GET ${path} HTTP/1.1`, `host: ${ownHost()}`)
      expect(answer.body).not.toContain('clawboo-workspace')
      expect(answer.body).not.toContain('"name":')
      expect(answer.status).toBeOneOf([200, 400, 404])
    }
  })

  test('[SE14] only the owner can read the token file and the home folder', async () => {
    expect((await stat(join(running().home, 'token'))).mode & 0o777).toBe(0o600)
    expect((await stat(running().home)).mode & 0o777).toBe(0o700)
    expect((await stat(join(running().home, 'clawboo.sqlite'))).mode & 0o777).toBe(0o600)
  })
})

describe('Bodies', () => {
  const post = (body: string | Buffer, type = 'application/json', more: readonly string[] = []) =>
    sendRaw(
      running().port,
      request(
        [
          'POST /api/agents HTTP/1.1',
          `host: ${ownHost()}`,
          `authorization: Bearer ${running().token}`,
          `content-type: ${type}`,
          `content-length: ${Buffer.byteLength(body)}`,
          ...more,
        ],
        body,
      ),
    )

  test('[SE10] refuses a form, plain text and a missing type', async () => {
    for (const type of [
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/plain',
      'text/plain;application/json',
      '',
    ]) {
      await expectRefused(await post('{"name":"Form"}', type), 415, 'body_not_json')
    }
    await expectRefused(
      await post('{"name":"Packed"}', 'application/json', ['content-encoding: gzip']),
      415,
      'body_not_json',
    )
  })

  test('[SE10] refuses ten megabytes, with or without a Content-Length', async () => {
    const big = JSON.stringify({ name: 'x'.repeat(10 * 1024 * 1024) })
    await expectRefused(await post(big), 413, 'body_too_large')
    const head = [
      'POST /api/agents HTTP/1.1',
      `host: ${ownHost()}`,
      `authorization: Bearer ${running().token}`,
      'content-type: application/json',
      'transfer-encoding: chunked',
    ]
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
    await expectRefused(await sendRaw(running().port, request(head, chunk.repeat(20))), 413, 'body_too_large')
  })

  test('[SE10] refuses deep, broken and wrongly encoded bodies', async () => {
    const deep = `{"name":"Deep","execConfig":${'['.repeat(10_000)}${']'.repeat(10_000)}}`
    await expectRefused(await post(deep), 400, 'body_invalid')
    await expectRefused(await post('{"name":'), 400, 'body_invalid')
    await expectRefused(await post(''), 400, 'body_invalid')
    await expectRefused(await post('[]'), 400, 'body_invalid')
    await expectRefused(await post(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])), 400, 'body_invalid')
    await expectRefused(await post('{"name":"Nul\\u0000"}'), 400, 'body_invalid')
    await expectRefused(await post('{"__proto__":{"name":"x"}}'), 400, 'body_invalid')
  })

  test('[SE10] refuses a body for an operation without one', async () => {
    const lines = [
      'POST /api/token/rotate HTTP/1.1',
      `host: ${ownHost()}`,
      `authorization: Bearer ${running().token}`,
      'content-type: text/plain',
      'content-length: 1',
    ]
    await expectRefused(await sendRaw(running().port, request(lines, 'x')), 400, 'body_invalid')
    expect((await readFile(join(running().home, 'token'), 'utf8')).trim()).toBe(running().token)
  })

  test('[SE10] none of these requests created an agent', async () => {
    expect((await running().client.listAgents({})).agents).toEqual([])
  })
})

describe('Paths', () => {
  test('[SE11] refuses a file name that is not in the list, however it is encoded', async () => {
    const { id } = await running().client.createAgent({ body: { name: 'Ada' } })
    const names = [
      '../token',
      '..%2f..%2f..%2ftoken',
      '%2e%2e%2f%2e%2e%2ftoken',
      '..%252f..%252ftoken',
      'SOUL.md%00.txt',
      'SOUL.md%2f..%2ftoken',
      'soul.md',
      '%53OUL.md%20',
      'C:%5ctoken',
      '..%5c..%5ctoken',
      '%c0%ae%c0%ae%2ftoken',
      '%',
      '%ff',
    ]
    for (const name of names) {
      for (const method of ['GET', 'PUT']) {
        const answer = await withToken(
          `${method} /api/agents/${id}/files/${name} HTTP/1.1`,
          `host: ${ownHost()}`,
          'content-length: 0',
        )
        expect({ name, status: answer.status }).toEqual({ name, status: expect.toBeOneOf([400, 404, 405, 415]) })
        expectNoSecret(answer)
      }
    }
    await running().client.deleteAgent({ params: { agentId: id } })
  })

  test('[AP4] reports an unknown address and a wrong method', async () => {
    await expectRefused(await withToken('GET /api/nothing HTTP/1.1', `host: ${ownHost()}`), 404, 'route_not_found')
    await expectRefused(await withToken('DELETE /api/agents HTTP/1.1', `host: ${ownHost()}`), 405, 'method_not_allowed')
  })

  test('[AP6] refuses a repeated and an unknown query parameter', async () => {
    await expectRefused(
      await withToken('GET /api/agents?team=a&team=b HTTP/1.1', `host: ${ownHost()}`),
      400,
      'request_invalid',
    )
    await expectRefused(
      await withToken('GET /api/agents?tema=a HTTP/1.1', `host: ${ownHost()}`),
      400,
      'request_invalid',
    )
  })
})

describe('Odd requests', () => {
  test('[SE24] treats a page address that no file system accepts as an ordinary address', async () => {
    const answer = await send(`GET /${'a'.repeat(300)}.js HTTP/1.1`, `host: ${ownHost()}`)
    expect(answer.status).toBe(404)
  })

  test('[SE24] refuses HEAD for a feed instead of never responding', async () => {
    expect((await withToken('HEAD /api/events HTTP/1.1', `host: ${ownHost()}`)).status).toBe(405)
  })

  test('[SE25] a hundred peers that request an upgrade and reset do not end the server', async () => {
    const lines = ['GET / HTTP/1.1', 'host: evil.example', 'upgrade: websocket', 'connection: Upgrade']
    for (let n = 0; n < 100; n++) {
      await new Promise<void>((resolve) => {
        const socket = connect(running().port, '127.0.0.1', () => {
          socket.write(`${lines.join('\r\n')}\r\n\r\n`, () => socket.resetAndDestroy())
        })
        socket.on('error', () => {}).on('close', () => resolve())
      })
    }
    expect((await running().client.checkHealth({})).ok).toBe(true)
  })

  test('[SE25] a peer that stays after a refused upgrade does not delay a shutdown', async () => {
    const server = await startServer()
    const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true })
    socket.on('error', () => {})
    socket.write(
      `GET / HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\nupgrade: websocket\r\nconnection: Upgrade\r\n\r\n`,
    )
    await once(socket, 'data')
    expect(await server.stop()).toBe(0)
    socket.destroy()
    await removeHome(server.home)
  })
})
