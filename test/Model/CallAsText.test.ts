import { assert, describe, it } from "@effect/vitest"
import { callAsText } from "../../src/Model/CallAsText.ts"

const tools = ["list_directory", "read_file", "mcp-server.search"]

const json = "{\"name\": \"list_directory\", \"arguments\": {\"path\": \".\"}}"

const calls: ReadonlyArray<readonly [from: string, text: string]> = [
  ["Hermes and Qwen", `<tool_call>\n${json}\n</tool_call>`],
  ["Qwen, unclosed", `<tool_call>\n${json}`],
  ["Qwen, twice", `<tool_call>${json}</tool_call>\n<tool_call>${json}</tool_call>`],
  [
    "Qwen Coder",
    "<tool_call>\n<function=list_directory>\n<parameter=path>\n.\n</parameter>\n</function>\n</tool_call>"
  ],
  ["Qwen Coder, unopened", "<function=list_directory>\n<parameter=path>\n.\n</parameter>\n</function>\n</tool_call>"],
  ["Qwen2.5 Coder", `<tools>\n${json}\n</tools>`],
  ["GLM", "<tool_call>list_directory\n<arg_key>path</arg_key>\n<arg_value>.</arg_value>\n</tool_call>"],
  ["Llama", "<function=list_directory>{\"path\": \".\"}</function>"],
  ["Llama, by its token", `<|python_tag|>${json.replace("arguments", "parameters")}`],
  ["Llama, in Python", "<|python_tag|>list_directory.call(path=\".\")"],
  ["Llama 4", "[list_directory(path=\".\"), read_file(path=\"a.txt\")]"],
  ["Mistral", `[TOOL_CALLS][${json}]`],
  ["Mistral, later", "[TOOL_CALLS]list_directory[ARGS]{\"path\": \".\"}"],
  ["Mistral, latest", "[TOOL_CALLS]list_directory{\"path\": \".\"}"],
  [
    "DeepSeek",
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>list_directory\n```json\n{}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
  ],
  ["DeepSeek V3.1", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>list_directory<｜tool▁sep｜>{}<｜tool▁call▁end｜>"],
  [
    "DeepSeek V3.2",
    "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"list_directory\">\n</｜DSML｜invoke>\n</｜DSML｜function_calls>"
  ],
  [
    "Kimi",
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.list_directory:0<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>"
  ],
  ["MiniMax", "<minimax:tool_call>\n<invoke name=\"list_directory\">\n</invoke>\n</minimax:tool_call>"],
  [
    "Claude",
    "<function_calls>\n<invoke name=\"list_directory\">\n<parameter name=\"path\">.</parameter>\n</invoke>\n</function_calls>"
  ],
  ["tool_use", "<tool_use>\n<name>list_directory</name>\n<arguments>{}</arguments>\n</tool_use>"],
  ["Granite", `<|tool_call|>[${json}]`],
  ["Phi", `functools[${json}]`],
  ["Nemotron", `<TOOLCALL>[${json}]</TOOLCALL>`],
  ["gpt-oss", "<|channel|>commentary to=functions.list_directory <|constrain|>json<|message|>{\"path\":\".\"}"],
  ["Gemma", "```tool_code\nprint(default_api.list_directory(path='.'))\n```"],
  ["Cline", "<list_directory>\n<path>.</path>\n</list_directory>"],
  ["ReAct", "Thought: I list them.\nAction: list_directory\nAction Input: {\"path\": \".\"}"],
  ["plain JSON", json],
  ["plain JSON in a fence", `\`\`\`json\n${json}\n\`\`\``],
  ["plain JSON after prose", `I list the files.\n\n${json}`],
  ["JSON of the protocol", "{\"tool_calls\": [{\"id\": \"1\", \"type\": \"function\", \"function\": " + json + "}]}"],
  ["plain JSON, one after the other", `${json}\n${json}`],
  ["plain JSON, with semicolons", `${json}; ${json}`],
  ["plain JSON in a fence after prose", `I list the files:\n\n\`\`\`json\n${json}\n\`\`\``],
  ["JSON of the protocol, one call", `{"function_call": ${json}}`],
  ["Gemma 3, without print", "```tool_code\nlist_directory(path='.')\n```"],
  ["Gemma 4", "<|tool_call>call:list_directory{path:<|\"|>.<|\"|>}<tool_call|>"],
  ["Gemma 4, after prose", "I list them.\n<|tool_call>call:list_directory{}<tool_call|>"],
  [
    "MiniMax M3",
    "]<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name=\"list_directory\">]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>"
  ],
  ["Qwen Agent", "✿FUNCTION✿: list_directory\n✿ARGS✿: {\"path\": \".\"}"],
  ["a program", "list_directory(path='.')"],
  ["a name and its arguments", "list_directory{\"path\": \".\"}"],
  ["Cline, after prose", "I list them.\n\n<list_directory>\n<path>.</path>\n</list_directory>"],
  ["Hermes, with the result that it expects", `<tool_call>${json}</tool_call>\nThe files are a.txt and b.txt.`],
  ["JSON of LangChain", "{\"action\": \"list_directory\", \"action_input\": {}}"],
  ["prose before", `I list the files first.\n<tool_call>\n${json}\n</tool_call>`],
  ["prose before, on one line", `I list them. <function=list_directory>{}</function>`],
  [
    "prose in the arguments",
    "<tool_call>{\"name\": \"list_directory\", \"arguments\": {\"why\": \"to see all of them\"}}"
  ]
]

describe("A tool call in the text of an answer", () => {
  it.each(calls)("is seen in the form of %s", (_, text) => {
    assert.strictEqual(callAsText(text, tools), "list_directory")
    assert.strictEqual(callAsText(`\n${text}\n\n`, tools), "list_directory")
  })

  it("is seen of a tool that there is not where it is the whole answer", () => {
    const text = "<tool_call>{\"name\": \"delete_all\", \"arguments\": {}}</tool_call>"
    assert.strictEqual(callAsText(text, tools), "delete_all")
    assert.isNull(callAsText(`The form is this: ${text}`, tools))
    assert.isNull(callAsText("{\"name\": \"delete_all\", \"arguments\": {}}", tools))
  })

  it.each([
    ["empty", ""],
    ["plain", "The directory has three files."],
    ["about a mark", "<tool_call> is the mark that Qwen models write, with list_directory in it."],
    ["about a call", `Qwen writes <tool_call>${json}</tool_call>, which the server reads.`],
    ["about a call at its beginning", `<tool_call>${json}</tool_call> is what Qwen writes.`],
    [
      "about two calls",
      `<tool_call>${json}</tool_call> is what Qwen writes, and Llama writes <function=list_directory>{}</function>`
    ],
    ["with a call in a fence", `The call looks like this:\n\n\`\`\`xml\n<tool_call>${json}</tool_call>\n\`\`\``],
    ["with a call in a fence, and more", `So:\n\`\`\`\n<tool_call>${json}</tool_call>\n\`\`\`\nThat is all.`],
    ["with a call in backticks", `Write \`<function=list_directory>\``],
    ["with JSON in a fence, and more", `Send this:\n\n\`\`\`json\n${json}\n\`\`\`\nThat is all.`],
    ["with an element in a fence", "So:\n```xml\n<list_directory>\n<path>.</path>\n</list_directory>\n```"],
    ["a definition", "{\"name\": \"list_directory\", \"description\": \"Lists\", \"parameters\": {}}"],
    ["a record", "{\"name\": \"list_directory\", \"size\": 3}"],
    ["a list of records", "[{\"name\": \"a\"}, {\"name\": \"b\"}]"],
    ["numbers", "[1, 2, 3]"],
    ["HTML", "<table><tr><td>list_directory</td></tr></table>"],
    ["XML", "<invoice><name>read_file</name></invoice>"],
    ["a program", "```python\nprint(list_directory('.'))\n```"],
    ["a name", "list_directory"]
  ])("is not seen in an answer that is %s", (_, text) => {
    assert.isNull(callAsText(text, tools))
  })

  it.each([
    `<tool_call>${json}${"<a>".repeat(50_000)}`,
    `<tool_call>${json}<a></a>${"\"\\".repeat(50_000)}}`,
    "<tool_call>{ \"name\" ".repeat(50_000),
    "`<tool_call>x` ".repeat(50_000)
  ])("is looked for in linear time: %.40s", (text) => {
    callAsText(text, tools)
  })
})
