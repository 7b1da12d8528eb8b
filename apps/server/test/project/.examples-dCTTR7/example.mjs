import { GoogleGenAI } from "@google/genai";

const client = new GoogleGenAI({
  apiKey: process.env.GATEWAY_KEY,
  httpOptions: { baseUrl: process.env.GATEWAY },
});
const answer = await client.models.generateContent({ model: "demo-chat", contents: "Hello" });
console.log(answer.text);
