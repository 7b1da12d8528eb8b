import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** A server on this machine that receives notifications and returns configured responses. */
export interface NoticeReceiver {
  url: string;
  posts: { path: string; headers: IncomingHttpHeaders; body: string }[];
  answer: { status: number; body: object };
  close(): Promise<void>;
}

export async function startNoticeReceiver(): Promise<NoticeReceiver> {
  const posts: NoticeReceiver["posts"] = [];
  const state: Pick<NoticeReceiver, "answer"> = { answer: { status: 200, body: {} } };
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
    request.on("end", () => {
      posts.push({ path: request.url ?? "", headers: request.headers, body });
      response
        .writeHead(state.answer.status, { "content-type": "application/json" })
        .end(JSON.stringify(state.answer.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    posts,
    get answer() {
      return state.answer;
    },
    set answer(answer) {
      state.answer = answer;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
