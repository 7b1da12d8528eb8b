/** Parameters, body and response of one operation. */
import { Code, Stack, Table, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { type FieldLine, fieldsOf, type Operation, typeOf } from "./document.ts";
import { RequestForm } from "./request-form.tsx";
import classes from "./api-reference.module.css";

export function OperationDetails({ operation }: { operation: Operation }) {
  const { t } = useTranslation("api-reference");
  const parameters = operation.parameters.map(
    ({ name, required = false, description = "", schema = {} }) => ({
      path: name,
      type: typeOf(schema),
      required,
      description: description || (schema.description ?? ""),
    }),
  );
  return (
    <Stack gap="lg">
      <Text fz="sm" lang="en">
        {operation.access}
      </Text>
      <Fields title={t("Parameters")} lines={parameters} isInput />
      <Fields title={t("Request body")} lines={operation.body ? fieldsOf(operation.body) : []} isInput />
      <RequestForm operation={operation} />
      <Fields title={t("Response")} lines={operation.response ? fieldsOf(operation.response) : []} />
    </Stack>
  );
}

type FieldsProps = {
  title: string;
  lines: FieldLine[];
  /** Marks what a request must have. In a response almost every field is present, so the others are marked. */
  isInput?: boolean;
};

function Fields({ title, lines, isInput = false }: FieldsProps) {
  const { t } = useTranslation("api-reference");
  if (lines.length === 0) return null;
  const isDescribed = lines.some(({ description }) => description !== "");
  return (
    <div>
      <Title order={4} mb={6}>
        {title}
      </Title>
      <div className={classes.fields} role="region" aria-label={title} tabIndex={0}>
        <Table fz="sm" verticalSpacing={6} aria-label={title}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{t("Field")}</Table.Th>
              <Table.Th scope="col">{t("Type")}</Table.Th>
              {isDescribed ? <Table.Th scope="col">{t("Description")}</Table.Th> : null}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {lines.map(({ path, type, required, description }) => (
              <Table.Tr key={path}>
                <Table.Td>
                  <Code>{path}</Code>
                  {required === isInput ? (
                    <Text span c={isInput ? "red" : "dimmed"} fz="xs" ml={6}>
                      {isInput ? t("required") : t("optional")}
                    </Text>
                  ) : null}
                </Table.Td>
                <Table.Td>
                  <Text span ff="monospace" fz="xs">
                    {type}
                  </Text>
                </Table.Td>
                {isDescribed ? <Table.Td lang="en">{description}</Table.Td> : null}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </div>
  );
}
