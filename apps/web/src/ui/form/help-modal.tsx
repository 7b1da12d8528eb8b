/** A dialog whose header links to the page of Help about its task. */
import { Group, Modal, type ModalProps, useProps } from "@mantine/core";
import { focusFirstField } from "./first-field.ts";
import { HelpLink } from "./help-link.tsx";

type HelpModalProps = ModalProps & {
  title: string;
  /** A page of docs/ without ".md", with the anchor of a heading: "billing#units" */
  help: string;
};

export function HelpModal(own: HelpModalProps) {
  // As Modal does it: the theme's defaults for Modal apply to the parts.
  const { title, help, children, overlayProps, closeButtonProps, ...props } = useProps("Modal", null, own);
  return (
    <Modal.Root {...props}>
      <Modal.Overlay {...overlayProps} />
      <Modal.Content>
        <Modal.Header>
          <Modal.Title>{title}</Modal.Title>
          <Group gap={2} wrap="nowrap" ml="auto">
            <HelpLink help={help} about={title} />
            <Modal.CloseButton {...closeButtonProps} />
          </Group>
        </Modal.Header>
        <Modal.Body ref={focusFirstField}>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
